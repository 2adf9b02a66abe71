import { AppError } from '../../lib/errors.ts';
import { publicCodes } from '../../lib/public-codes.ts';
import type { UpstreamError } from './conversation.ts';

const publicFailure = 'The provider could not answer this request.';

/** The error for the caller: the upstream's own message only if the caller is at fault. */
export function appErrorOf(error: UpstreamError): AppError {
  const { kind, message, headers } = error;
  if (kind === 'caller') {
    const extras = {
      status: error.status,
      headers,
      type: 'invalid_request_error',
      ...(error.param !== undefined && { param: error.param }),
      ...(error.code !== undefined && publicCodes.has(error.code) && { vendorCode: error.code }),
      ...(error.details && { details: error.details }),
    };
    if (error.code === 'context_length_exceeded') {
      return new AppError('context_length_exceeded', message, { ...extras, status: 400 });
    }
    return new AppError(error.status === 413 ? 'request_too_large' : 'upstream_refused', message, extras);
  }
  if (kind === 'busy') {
    return new AppError(
      'capacity_exhausted',
      'Every provider of this model is at its limit. Try again later.',
      { headers },
      error,
    );
  }
  if (error.status === 504) return new AppError('timeout', 'The provider did not answer in time.', {}, error);
  return new AppError('provider_error', publicFailure, {}, error);
}
