import { OutgoingError, openGuarded, sendGuarded } from '../platform/http/outgoing.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import type { McpDeps } from './context.ts';
import { McpFault, withoutSecrets } from './fault.ts';
import { nonceIn } from './proofs.ts';
import type { McpServer } from './store/servers.ts';
import { headersOf } from './target.ts';

/** Metadata documents and tokens have a few kilobytes. */
const mostAnswerBytes = 256 * 1024;
const timeoutMs = 10_000;

/**
 * The library's `fetch` to a server's authorization server. Its URLs come from foreign documents, so each is checked
 * and dialled separately, without redirects and without our headers. The library logs error answers, so secrets are
 * redacted from them: some servers repeat what they are sent.
 */
export const fetchForSignIn =
  (policy: { allowPrivate: boolean }, secrets: readonly string[]) =>
  async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { body } = init;
    const answer = await sendGuarded(
      {
        url: String(url),
        method: init.method ?? 'GET',
        headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
        ...(body != null && { body: String(body) }),
        timeoutMs,
        maxAnswerBytes: mostAnswerBytes,
        ...(init.signal && { signal: init.signal }),
      },
      policy,
    ).catch((error) => {
      if (!(error instanceof OutgoingError)) throw error;
      throw new McpFault('its authorization server could not be reached', error.message);
    });
    if (answer.truncated) throw new McpFault('the response of its authorization server is too large');
    const empty = answer.status === 204 || answer.status === 304;
    const { 'content-type': type = '', 'www-authenticate': challenge } = answer.headers;
    const nonce = nonceIn(answer.headers);
    const headers = {
      'content-type': type,
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
      ...(nonce !== undefined && { 'dpop-nonce': nonce }),
    };
    const text = Buffer.from(answer.body).toString();
    const refusal = answer.status >= 400 || text.includes('"error"');
    const told = refusal ? withoutSecrets(text, secrets) : text;
    return new Response(empty ? null : told, { status: answer.status, headers });
  };

/**
 * Not `initialize`, because some servers allow that without a token; listing tools starts no session even if no token
 * is needed.
 */
const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/**
 * Sends a request without a token to learn where the server's metadata is, and which scopes it needs. Empty if the
 * server does not say, or does not answer.
 */
export async function challengeOf(deps: McpDeps, server: McpServer): Promise<Challenge> {
  const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const headers = { ...headersOf(deps, server), ...own, 'accept-encoding': 'identity' };
  const request = { url: server.url, method: 'POST', headers, body: question, timeoutMs };
  const answer = await openGuarded(request, deps).catch(() => null);
  await answer?.body.cancel().catch(() => {});
  if (answer?.status !== 401) return {};
  const { error: _, ...challenge } = await readChallenge(answer.headers['www-authenticate']);
  return challenge;
}
