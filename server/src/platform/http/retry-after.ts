/** Where nobody knows better: a database that restarts, a Redis that is away, a balancer that looks again. */
const usualSeconds = 5;

/**
 * An answer of 503 says when to come back (RFC 9110 §10.2.3), whoever made it; to clients of models also in the header
 * that their libraries read first.
 */
export function sayWhenToRetry(response: Response, relayed: boolean): Response {
  const { headers } = response;
  if (!headers.has('retry-after')) headers.set('retry-after', `${usualSeconds}`);
  if (relayed && !headers.has('retry-after-ms'))
    headers.set('retry-after-ms', `${Number(headers.get('retry-after')) * 1000}`);
  return response;
}
