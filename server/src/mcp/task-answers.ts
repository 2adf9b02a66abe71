import type { ServerCapabilities } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isObject } from '../lib/is-object.ts';

type Params = Record<string, unknown>;

/** The extension by which a server goes on with a call after it has answered (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export const hasTasks = ({ extensions }: ServerCapabilities): boolean => extensions?.[tasksExtension] !== undefined;

/** Of a server's own name for a task. Clients repeat names in a header of each request, for which there are a few kilobytes on the way. */
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

/** A task that has begun; null for what is none. */
export const begunTaskOf = (answer: Params): Task | null => task.safeParse(answer).data ?? null;

/** What a task that has come so far has to say besides. */
const detailOf: Partial<Record<Task['status'], string>> = {
  input_required: 'inputRequests',
  completed: 'result',
  failed: 'error',
};

/** How this task stands, with what belongs to that; null for what does not say so. */
export function standingOf(taskId: string, answer: Params): (Task & { detail: Params }) | null {
  const found = begunTaskOf(answer);
  const named = found && detailOf[found.status];
  const detail = named ? answer[named] : {};
  return found?.taskId === taskId && isObject(detail) ? { ...found, detail } : null;
}

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
