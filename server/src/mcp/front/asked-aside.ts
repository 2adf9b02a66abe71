import { isObject } from '../../lib/is-object.ts';
import type { SseEvent } from '../../lib/sse.ts';
import { type Asking, nobodyToAsk, type Question } from '../asked-back.ts';
import type { Params } from '../connection.ts';
import type { Sessions } from '../sessions.ts';
import type { McpServer } from '../store/servers.ts';

/** What is no message among events is passed over, as the library does. */
export function messageIn({ event, data }: SseEvent): Params {
  if (event !== '' && event !== 'message') return {};
  try {
    const message: unknown = JSON.parse(data);
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}

/** Whether somebody is there is answered here, one question after the other: nobody but us is, on this line. */
export async function answerPing(
  callers: Sessions,
  { server, holder }: { server: McpServer; holder: string },
  { id, method }: Params,
  session: string | null,
): Promise<boolean> {
  if (method !== 'ping' || id === undefined) return false;
  await callers.tell(server, holder, { jsonrpc: '2.0', id, result: {} }, (one) => one === session).catch(() => {});
  return true;
}

/** Of what a server says outside of calls: the client is asked, where there is one, or the server is told that there is none. */
export async function askOrRefuse(
  callers: Sessions,
  { server, holder }: { server: McpServer; holder: string },
  question: Question,
  asking: Asking | undefined,
): Promise<void> {
  const error = asking ? asking.ask(question) : nobodyToAsk;
  if (!error) return;
  // A server that does not hear it waits until its own time is up.
  const reply = { jsonrpc: '2.0', id: question.id, error };
  await callers.tell(server, holder, reply, (one) => one === question.session).catch(() => {});
}
