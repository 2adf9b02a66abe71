import { OutgoingError, openGuarded, sendGuarded } from '../platform/http/outgoing.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import { McpFault, withoutSecrets } from './fault.ts';
import { nonceIn } from './proofs.ts';
import type { McpDeps } from './room.ts';
import type { McpServer } from './store/servers.ts';
import { headersOf } from './target.ts';

/** Documents and tokens have a few kilobytes. */
const mostAnswerBytes = 256 * 1024;
const timeoutMs = 10_000;

/**
 * How the library reaches the authorization server of a server: its addresses come from documents of others, and each is
 * dialled and checked by itself, following nothing, without any header of ours. The library writes what it is refused with
 * into the log: without the secrets, which some repeat.
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
    if (answer.truncated) throw new McpFault('its authorization server answers with too much');
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

/** Some servers let anybody introduce themselves; a list of tools begins no session where nobody is asked either. */
const question = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Asked without a token: where its documents are, and what for. Nothing where it does not say, or does not answer. */
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
