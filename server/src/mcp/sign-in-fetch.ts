import { OutgoingError, sendGuarded } from '../platform/http/outgoing.ts';
import { McpFault } from './fault.ts';

/** Documents and tokens have a few kilobytes. */
const mostAnswerBytes = 256 * 1024;
const timeoutMs = 10_000;

/**
 * How the library reaches the authorization server of a server: its addresses come from documents of others, and each is
 * dialled and checked by itself, following nothing, without any header of ours.
 */
export const fetchForSignIn =
  (policy: { allowPrivate: boolean }) =>
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
    const headers = { 'content-type': type, ...(challenge !== undefined && { 'www-authenticate': challenge }) };
    return new Response(empty ? null : Buffer.from(answer.body), { status: answer.status, headers });
  };
