/** Default, for a restarting database, an unavailable Redis or a load balancer's next check. */
const usualSeconds = 5;

/** Adds Retry-After to a 503 (RFC 9110 §10.2.3); for model clients also the header that their SDKs read first. */
export function addRetryAfter(response: Response, relayed: boolean): Response {
  const { headers } = response;
  if (!headers.has('retry-after')) headers.set('retry-after', `${usualSeconds}`);
  if (relayed && !headers.has('retry-after-ms'))
    headers.set('retry-after-ms', `${Number(headers.get('retry-after')) * 1000}`);
  return response;
}
