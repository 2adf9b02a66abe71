import type { UsageStatus } from '../../billing/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Cause } from '../../routing/decision.ts';
import { redactCredential } from '../redact-credential.ts';

/** Why a session ends, and the consequences. */
export interface Ending {
  /** Sent as an event before the socket closes. */
  error?: AppError;
  /** RFC 6455 §7.4.1. */
  code: number;
  reason: string;
  /** Of responses in progress. */
  status: UsageStatus;
  /** Set if it concerns the upstream. */
  cause?: Cause;
}

/** RFC 6455 §5.5: a control frame has 125 bytes, two of them for the code. */
const mostReasonBytes = 123;

export function shortReason(reason: string): string {
  let short = reason.slice(0, mostReasonBytes);
  while (Buffer.byteLength(short) > mostReasonBytes) short = short.slice(0, -1);
  return short;
}

/** Codes that may be sent (RFC 6455 §7.4); others only describe a connection. */
const mayBeSent = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999);

const closing = (error: AppError, code: number, more: Partial<Ending> = {}): Ending => ({
  ...{ error, code, reason: error.message, status: 'interrupted' },
  ...more,
});

export const endings = {
  clientLeft: (): Ending => ({ code: 1000, reason: '', status: 'aborted', cause: 'client_left' }),
  /** The caller's permission, money or limits are exhausted. */
  refused: (error: AppError): Ending => {
    const code = error.status === 429 ? 1013 : error.status >= 500 ? 1011 : 1008;
    return closing(error, code, { cause: 'refused' });
  },
  stopping: (): Ending =>
    closing(new AppError('unavailable', 'The service is stopping. Open another session.'), 1001, { cause: 'stopping' }),
  expired: (): Ending =>
    closing(new AppError('timeout', 'A session may last at most one hour. Open another one.', { status: 408 }), 1001, {
      cause: 'refused',
    }),
  slowClient: (): Ending =>
    closing(new AppError('request_timeout', 'The client reads too slowly.'), 1013, {
      ...{ status: 'aborted', cause: 'client_left' },
    }),
  floodedUpstream: (): Ending =>
    closing(
      new AppError('capacity_exhausted', 'The provider cannot keep up with the data sent. Send less at once.'),
      1013,
      {
        cause: 'rate_limited',
      },
    ),
  silent: (): Ending =>
    closing(new AppError('timeout', 'The provider stopped responding.'), 1011, { cause: 'timeout' }),
  garbage: (): Ending =>
    closing(new AppError('provider_error', 'The provider sent an invalid event.'), 1011, {
      cause: 'truncated',
    }),
  /** As the upstream said, if it did; a lost connection is a failure. */
  byUpstream: (code: number, reason: string, credential: string): Ending => {
    if (code === 1006 || !mayBeSent(code))
      return closing(new AppError('provider_error', 'The connection to the provider was lost.'), 1011, {
        cause: 'truncated',
      });
    return {
      ...{ code, reason: redactCredential(reason, credential), status: 'interrupted' },
      ...(code >= 1002 && code < 3000 && code !== 1008 && { cause: 'truncated' }),
    };
  },
};
