import type { CustomFetch } from 'openid-client';
import { OutgoingError, sendGuarded } from '../../platform/http/outgoing.ts';

/** Large providers' documents and key sets have tens of kilobytes. */
const mostAnswerBytes = 512 * 1024;
const timeoutMs = 10_000;

/**
 * The library's access to a provider: through the SSRF guard, without redirects, bounded in time and size. Addresses in
 * the provider's document are checked in the same way.
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
    if (answer.truncated) throw new OutgoingError('network', `The response is larger than ${mostAnswerBytes} bytes.`);
    const empty = answer.status === 204 || answer.status === 304;
    return new Response(empty ? null : Buffer.from(answer.body), { status: answer.status, headers: answer.headers });
  };
