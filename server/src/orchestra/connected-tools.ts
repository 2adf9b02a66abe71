import type { Clock } from '../lib/clock.ts';
import type { ConnectedTool, HowToWait, ToolOutcome } from '../lib/connected-tools.ts';
import { AppError } from '../lib/errors.ts';
import { type ConnectedNames, namesAny } from './connected-names.ts';
import type { Caller, Deps } from './ports.ts';

/** As models are told of it. */
export const asFunction = ({ name, description, parameters }: ConnectedTool) => ({
  type: 'function',
  function: { name, description, parameters },
});

/** The user of an application was asked about models, and about tools only where a token is for these. */
export async function refuseApplications(deps: Pick<Deps, 'permit'>, caller: Caller, param: string): Promise<void> {
  if (!(await deps.permit(caller)).application) return;
  const message = `${param}: an application uses tools at /mcp, with a token that is for them.`;
  throw new AppError('forbidden', message, { param });
}

/** Throws where a name stands for nothing: whoever counts on a tool would do without it. */
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

/** Servers have limits of their own; this one is for those that do not keep to them. */
export const toolLimitMs = 300_000;
/** What a model is told of one call at most. */
const longestOutput = 64 * 1024;

/** As much of a tool's output as a model is told, and that there was more. */
export function bounded(text: string): string {
  if (Buffer.byteLength(text) <= longestOutput) return text;
  // A stream may end within a character, and leaves that one out.
  const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, longestOutput), { stream: true });
  return `${kept}\n[cut: the output was longer than 64 KiB]`;
}

export interface ConnectedCall {
  name: string;
  /** As the model wrote them. */
  arguments: string;
  /** Whether somebody has approved it already; else a tool that asks first asks its user. */
  approved: boolean;
  /** A server goes on with it by itself: how it is found again. */
  goesOn?(task: string): unknown;
  handedOver?: HowToWait['handedOver'];
}

type Calling = Pick<Deps, 'connectedTools' | 'clock' | 'warn'>;

/** What a call comes to, as the model is told. Throws on the signal alone. */
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

/** The same of a call that somebody else began and a server went on with; null where nobody knows of it any more. */
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
    deps.warn('a call of a connected tool failed', error);
    return { text: 'The call failed. It is not known whether it took effect.', cost: 0 };
  }
}

export const unknownOutcome =
  'It is not known whether this call happened: the work was interrupted while it was made. It is not made again. Find out before you rely on it either way.';

export const notAnObject = 'The call was not made: its arguments are not a JSON object.';

class OutOfTime extends Error {}

/** How long something may take. */
interface Limit {
  signal: AbortSignal;
  /** So long from now on. */
  set(ms: number): void;
}

/** Whoever is called may heed neither signal, and is left alone then. */
export async function inTime<T>(clock: Clock, signal: AbortSignal, call: (limit: Limit) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const startedMs = clock.steadyMs();
  const end = () => {
    const seconds = Math.round((clock.steadyMs() - startedMs) / 1000);
    const told = `The tool did not answer within ${seconds} seconds. It is not known whether the call took effect.`;
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

/** Null for what is no JSON object. */
export function argumentsIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
