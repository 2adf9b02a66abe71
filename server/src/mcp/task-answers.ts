import type { ServerCapabilities } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** The extension by which a server continues a call after it has answered (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export const hasTasks = ({ extensions }: ServerCapabilities): boolean => extensions?.[tasksExtension] !== undefined;

/**
 * Limit on a server's task ids. Clients repeat names in a header of each request, and headers are limited to a few
 * kilobytes on the way.
 */
export const longestTaskId = 1_024;

const task = z.object({
  taskId: z.string().min(1).max(longestTaskId),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional(),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  ttlMs: z.number().nullable(),
  pollIntervalMs: z.number().optional(),
});
export type Task = z.infer<typeof task>;

/** A task that has begun; null if the answer is not one. */
export const startedTaskOf = (answer: Params): Task | null => task.safeParse(answer).data ?? null;

/** The field with further data, by status. */
const detailOf: Partial<Record<Task['status'], string>> = {
  input_required: 'inputRequests',
  completed: 'result',
  failed: 'error',
};

/** The task's status with its data; null if the answer is not the status of this task. */
export function taskStatusOf(taskId: string, answer: Params): (Task & { detail: Params }) | null {
  const found = startedTaskOf(answer);
  const named = found && detailOf[found.status];
  const detail = named ? answer[named] : {};
  return found?.taskId === taskId && isObject(detail) ? { ...found, detail } : null;
}

/** Carries an answer that the library would reject. A server that sets this field itself has the same effect. */
const place = 'svc/task';

/** Structural, because the library's message type does not allow such an answer. */
interface Hearing {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

/**
 * The library knows two answers to a call, a result and a request for input; it rejects any other and drops its
 * content. So a task is wrapped in an otherwise empty result.
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

/** The wrapped task as the server sent it; null for any other answer. */
export function taskIn({ _meta }: Params): Params | null {
  const task = isObject(_meta) ? _meta[place] : undefined;
  return isObject(task) ? task : null;
}
