import type { CallToolResult } from '@modelcontextprotocol/client';
import { type Params, within } from './connection.ts';
import { McpFault } from './fault.ts';
import { standingOf, type Task } from './task-answers.ts';

/** How often a task is looked at, whatever its server proposes: neither all the time nor hardly ever. */
const leastPauseMs = 250;
const usualPauseMs = 1_000;
const mostPauseMs = 15_000;
/** Looks in a row that may fail: a server that is replaced is away for a moment. */
const mostMisses = 3;
/** Taking a task back is a courtesy, which nobody waits long for. */
const farewellMs = 2_000;

interface Following {
  /** Asks the server about the task, within the time of one request. */
  ask(method: string, params: Params, signal: AbortSignal): Promise<Params>;
  signal: AbortSignal;
  /** Asked when nobody here waits any longer; false where somebody else does. */
  isTakenBack(): boolean;
}

/** Waits for what a call comes to that its server goes on with. Throws what says why there is no result. */
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
        (answer) => standingOf(taskId, answer) ?? notOfTheProtocol(),
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
    // One that has ended already is not taken back by this.
    const patience = AbortSignal.timeout(farewellMs);
    if (isTakenBack()) void ask('tasks/cancel', { taskId }, patience).catch(() => {});
    throw error;
  }
}

const pauseOf = ({ pollIntervalMs = usualPauseMs }: Pick<Task, 'pollIntervalMs'>): number =>
  Math.min(mostPauseMs, Math.max(leastPauseMs, pollIntervalMs));

/** Null while it goes on. */
function resultOf({ status, detail }: NonNullable<ReturnType<typeof standingOf>>): CallToolResult | null {
  if (status === 'working') return null;
  // As any result of a tool, it is read with what it has.
  if (status === 'completed')
    return Array.isArray(detail.content) ? (detail as unknown as CallToolResult) : notOfTheProtocol();
  if (status === 'failed') throw saidBy(detail);
  if (status === 'cancelled') throw new McpFault('it took the call back');
  throw new McpFault('it asks for something that nobody here can answer');
}

/** An error in the protocol's own form is the server's word to whoever called. */
function saidBy({ code, message }: Params): Error {
  if (typeof code !== 'number' || typeof message !== 'string') return notOfTheProtocolFault();
  return Object.assign(new Error(message), { code });
}

const notOfTheProtocolFault = (): McpFault => new McpFault('its answer is not what the protocol asks for');
const notOfTheProtocol = (): never => {
  throw notOfTheProtocolFault();
};
