import type { CustomFetch } from 'openid-client';
import { OutgoingError, sendGuarded } from '../../platform/http/outgoing.ts';

/** Documents and key sets of large providers have tens of kilobytes. */
const mostAnswerBytes = 512 * 1024;
const timeoutMs = 10_000;

/**
 * How the library reaches a provider: each request dialled and checked anew, following nothing, with bounds on time and
 * size. A provider's own document names further addresses, which are checked as it is.
 */
export const guardedFetch =
  (policy: { allowPrivate: boolean }): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const answer = await sendGuarded(
      {
        url,
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ...(body != null && { body: body instanceof Uint8Array ? body : String(body) }),
        timeoutMs,
        maxAnswerBytes: mostAnswerBytes,
        ...(signal && { signal }),
      },
      policy,
    );
    if (answer.truncated) throw new OutgoingError('network', `The answer is larger than ${mostAnswerBytes} bytes.`);
    const empty = answer.status === 204 || answer.status === 304;
    return new Response(empty ? null : Buffer.from(answer.body), { status: answer.status, headers: answer.headers });
  };
