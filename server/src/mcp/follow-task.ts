import type { CallToolResult } from '@modelcontextprotocol/client';
import { type Params, within } from './connection.ts';
import { McpFault } from './fault.ts';
import { type Task, taskStatusOf } from './task-answers.ts';

/** Bounds on the polling interval that a server proposes. */
const leastPauseMs = 250;
const usualPauseMs = 1_000;
const mostPauseMs = 15_000;
/** Consecutive polls that may fail: a server that is redeployed is away for a moment. */
const mostMisses = 3;
/** Cancelling a task is a courtesy, so it is not waited for long. */
const farewellMs = 2_000;

interface Following {
  /** Sends a request about the task, with the time limit of one request. */
  ask(method: string, params: Params, signal: AbortSignal): Promise<Params>;
  signal: AbortSignal;
  /** Called when the wait here ends early; false if another caller still waits for the task. */
  isTakenBack(): boolean;
}

/** Polls a task until it has a result; throws the reason if there is none. */
export async function followTask(
  begun: Pick<Task, 'taskId' | 'pollIntervalMs'>,
  { ask, signal, isTakenBack }: Following,
): Promise<CallToolResult> {
  const { taskId } = begun;
  try {
    let pauseMs = pauseOf(begun);
    for (let misses = 0; ; ) {
      await within(signal, Bun.sleep(pauseMs));
      const found = await ask('tasks/get', { taskId }, signal).then(
        (answer) => taskStatusOf(taskId, answer) ?? notOfTheProtocol(),
        (error) => {
          if (signal.aborted) throw error;
          misses += 1;
          if (misses === mostMisses) throw error;
          return null;
        },
      );
      if (!found) continue;
      misses = 0;
      const result = resultOf(found);
      if (result) return result;
      pauseMs = pauseOf(found);
    }
  } catch (error) {
    // Has no effect on a task that has already ended.
    const patience = AbortSignal.timeout(farewellMs);
    if (isTakenBack()) void ask('tasks/cancel', { taskId }, patience).catch(() => {});
    throw error;
  }
}

const pauseOf = ({ pollIntervalMs = usualPauseMs }: Pick<Task, 'pollIntervalMs'>): number =>
  Math.min(mostPauseMs, Math.max(leastPauseMs, pollIntervalMs));

/** Null while the task is running. */
function resultOf({ status, detail }: NonNullable<ReturnType<typeof taskStatusOf>>): CallToolResult | null {
  if (status === 'working') return null;
  // Only the content is checked, as for any tool result.
  if (status === 'completed')
    return Array.isArray(detail.content) ? (detail as unknown as CallToolResult) : notOfTheProtocol();
  if (status === 'failed') throw saidBy(detail);
  if (status === 'cancelled') throw new McpFault('it cancelled the call');
  throw new McpFault('it asks a question that no one can answer here');
}

/** A JSON-RPC error is the server's message to the caller. */
function saidBy({ code, message }: Params): Error {
  if (typeof code !== 'number' || typeof message !== 'string') return notOfTheProtocolFault();
  return Object.assign(new Error(message), { code });
}

const notOfTheProtocolFault = (): McpFault => new McpFault('its response does not follow the protocol');
const notOfTheProtocol = (): never => {
  throw notOfTheProtocolFault();
};
