import type { Clock } from '../lib/clock.ts';
import type { ConnectedTool, HowToWait, ToolOutcome } from '../lib/connected-tools.ts';
import { AppError } from '../lib/errors.ts';
import { parseExactly } from '../lib/exact-json.ts';
import { type ConnectedNames, namesAny } from './connected-names.ts';
import type { Caller, Deps } from './ports.ts';

/** The tool definition as sent to models. */
export const asFunction = ({ name, description, parameters }: ConnectedTool) => ({
  type: 'function',
  function: { name, description, parameters },
});

/** An application's user consented to models, not to tools; tools need a token issued for them. */
export async function refuseApplications(deps: Pick<Deps, 'permit'>, caller: Caller, param: string): Promise<void> {
  if (!(await deps.permit(caller)).application) return;
  const message = `${param}: applications use tools at /mcp, with a token issued for /mcp.`;
  throw new AppError('forbidden', message, { param });
}

/** Throws if a name is unknown; otherwise the caller would silently run without a tool it relies on. */
export async function requireNamed(
  deps: Pick<Deps, 'connectedTools' | 'permit'>,
  caller: Caller,
  names: ConnectedNames | undefined,
  param: string,
): Promise<ConnectedTool[]> {
  if (!namesAny(names)) return [];
  await refuseApplications(deps, caller, param);
  const all = await deps.connectedTools.list(caller.userId).catch((error) => {
    throw new AppError('unavailable', 'The tools of connected servers cannot be listed right now.', {}, error);
  });
  if (names === true) return all;
  const missing = names.find((name) => !all.some((tool) => tool.name === name));
  if (missing !== undefined) throw new AppError('invalid_value', `${param}: there is no tool "${missing}".`, { param });
  return all.filter(({ name }) => names.includes(name));
}

/** Servers have limits of their own; this one covers servers that do not enforce them. */
export const toolLimitMs = 300_000;
/** The most bytes of one tool result that are sent to the model. */
const longestOutput = 64 * 1024;

/** Cuts a tool's output to the limit and appends a note if it was longer. */
export function bounded(text: string): string {
  if (Buffer.byteLength(text) <= longestOutput) return text;
  // In stream mode, the decoder drops a character that was cut in half.
  const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, longestOutput), { stream: true });
  return `${kept}\n[cut: the output was longer than 64 KiB]`;
}

export interface ConnectedCall {
  name: string;
  /** Raw JSON, as the model wrote it. */
  arguments: string;
  /** Whether the call is already approved; if not, a tool that requires approval asks its user. */
  approved: boolean;
  /** Called with a task id when the server continues the call in the background; the id finds it again. */
  goesOn?(task: string): unknown;
  handedOver?: HowToWait['handedOver'];
}

type Calling = Pick<Deps, 'connectedTools' | 'clock' | 'warn'>;

/** Makes the call and returns its result as text for the model. Throws only if the signal aborts. */
export async function callConnected(
  deps: Calling,
  caller: Caller,
  { name, arguments: written, approved, goesOn, handedOver }: ConnectedCall,
  signal: AbortSignal,
  longestMs = toolLimitMs,
): Promise<{ text: string; cost: number }> {
  const args = argumentsIn(written);
  if (!args) return { text: notAnObject, cost: 0 };
  return outcomeIn(deps, signal, (limit) =>
    deps.connectedTools.call(caller, name, args, {
      ...{ signal, tooLong: limit.signal, approved, ...(handedOver && { handedOver }) },
      goesOn: (task) => {
        limit.set(longestMs);
        return goesOn?.(task);
      },
    }),
  );
}

/**
 * The same for a call that another process started and the server continued in the background. If the task is no longer
 * known, the text says that the outcome is unknown.
 */
export async function followConnected(
  deps: Calling,
  caller: Caller,
  { name, task, handedOver }: { name: string; task: string } & Required<Pick<HowToWait, 'handedOver'>>,
  signal: AbortSignal,
  longestMs: number,
): Promise<{ text: string; cost: number }> {
  return outcomeIn(deps, signal, async (limit) => {
    limit.set(longestMs);
    const found = await deps.connectedTools.follow(caller, name, task, { signal, tooLong: limit.signal, handedOver });
    return found ?? { text: unknownOutcome, isError: true, cut: false };
  });
}

async function outcomeIn(
  deps: Pick<Deps, 'clock' | 'warn'>,
  signal: AbortSignal,
  call: (limit: Limit) => Promise<ToolOutcome>,
): Promise<{ text: string; cost: number }> {
  try {
    const { text, isError, cut, cost = 0 } = await inTime(deps.clock, signal, call);
    const told = isError ? `The tool reported an error:\n${text}` : text;
    return { text: bounded(cut ? `${bounded(told)}\n[cut: the tool sent more than is passed on]` : told), cost };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutOfTime) return { text: error.message, cost: 0 };
    deps.warn('a connected tool call failed', error);
    return { text: 'The call failed. It is not known whether it took effect.', cost: 0 };
  }
}

export const unknownOutcome =
  'It is not known whether this call happened: the work was interrupted while it was made. It is not made again. Find out before you rely on it either way.';

export const notAnObject = 'The call was not made: its arguments are not a JSON object.';

class OutOfTime extends Error {}

/** A time limit that can be changed while it runs. */
interface Limit {
  signal: AbortSignal;
  /** Restarts the limit with this duration. */
  set(ms: number): void;
}

/** The callee may ignore both signals; then it is abandoned. */
export async function inTime<T>(clock: Clock, signal: AbortSignal, call: (limit: Limit) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const startedMs = clock.steadyMs();
  const end = () => {
    const seconds = Math.round((clock.steadyMs() - startedMs) / 1000);
    const told = `The tool did not respond within ${seconds} seconds. It is not known whether the call took effect.`;
    over.abort(new OutOfTime(told));
  };
  let stopTimer = clock.every(toolLimitMs, end);
  const set = (ms: number) => {
    stopTimer();
    stopTimer = clock.every(ms, end);
  };
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const both = AbortSignal.any([signal, over.signal]);
  both.addEventListener('abort', () => ended.reject(both.reason));
  try {
    return await Promise.race([call({ signal: over.signal, set }), ended.promise]);
  } finally {
    stopTimer();
  }
}

/** Null if the text is not a JSON object. */
export function argumentsIn(text: string): Record<string, unknown> | null {
  try {
    const value = parseExactly(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
