import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** The extension by which a server goes on with a call after it has answered (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Where an answer is put that the library would take for a fault. A server that writes there itself has said the same. */
const place = 'svc/task';

/** Of a transport, whose own type of a message allows no such answer. */
interface Hearing {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

/**
 * The library knows two answers to a call, a result and a question; it refuses a third and forgets what was in it. So a task
 * goes past it inside a result that says nothing else.
 */
export function letTasksThrough(transport: Hearing): void {
  const hear = transport.onmessage;
  transport.onmessage = (message, extra) => hear?.(carried(message) as never, extra);
}

function carried(message: { result?: unknown }): object {
  const { result } = message;
  if (!isObject(result) || result.resultType !== 'task') return message;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [place]: result } } };
}

/** The task that an answer stands for, as the server wrote it; null for any other answer. */
export function taskIn({ _meta }: Params): Params | null {
  const task = isObject(_meta) ? _meta[place] : undefined;
  return isObject(task) ? task : null;
}
