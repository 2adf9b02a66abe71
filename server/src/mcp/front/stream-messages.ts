import { parseExactly } from '../../lib/exact-json.ts';
import { isObject } from '../../lib/is-object.ts';
import type { SseEvent } from '../../lib/sse.ts';
import type { Params } from '../connection.ts';
import { type Asking, nobodyToAsk, type Question } from '../server-questions.ts';
import type { Sessions } from '../sessions.ts';
import type { McpServer } from '../store/servers.ts';

/** Skips events that are not messages, as the library does. */
export function messageIn({ event, data }: SseEvent): Params {
  if (event !== '' && event !== 'message') return {};
  try {
    const message: unknown = parseExactly(data);
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}

/** Answers a server's ping. Only this service reads the stream, so the client is not asked. */
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

/**
 * For questions that a server asks outside of calls: asks the client if there is one, otherwise tells the server that
 * there is none.
 */
export async function askOrRefuse(
  callers: Sessions,
  { server, holder }: { server: McpServer; holder: string },
  question: Question,
  asking: Asking | undefined,
): Promise<void> {
  const error = asking ? asking.ask(question) : nobodyToAsk;
  if (!error) return;
  // If this fails, the server waits until its own timeout.
  const reply = { jsonrpc: '2.0', id: question.id, error };
  await callers.tell(server, holder, reply, (one) => one === question.session).catch(() => {});
}
