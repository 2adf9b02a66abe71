import type { Clock } from '../../lib/clock.ts';
import { lookAgain } from './look-again.ts';
import { loadSteps } from './store/steps.ts';
import type { OpenCall } from './talk.ts';
import type { Work } from './work.ts';

/** Servers have limits of their own; this one is for those that do not keep to them. */
export const toolLimitMs = 300_000;
/** What a model is told of one call at most. */
const longestOutput = 64 * 1024;

const unknownOutcome =
  'It is not known whether this call happened: the work was interrupted while it was made. It is not made again. Find out before you rely on it either way.';

/** Journal keys of a call: once the first is there the call is never made again. */
const begunKey = (id: string): string => `begun:${id}`;
export const outcomeKey = (id: string): string => `outcome:${id}`;

/** As much of a tool's output as a model is told, and that there was more. */
export function bounded(text: string): string {
  if (Buffer.byteLength(text) <= longestOutput) return text;
  // A stream may end within a character, and leaves that one out.
  const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, longestOutput), { stream: true });
  return `${kept}\n[cut: the output was longer than 64 KiB]`;
}

/**
 * What one call of a connected tool comes to, as the model is told. Since it may have effects it is noted as begun before it is
 * made, and never made twice, whoever goes on with the run and from where; null when the journal has its outcome already.
 */
export async function callOnce(work: Work, call: OpenCall, signal: AbortSignal): Promise<string | null> {
  const { deps, holding, journal } = work;
  const found = await loadSteps(deps.db, holding.ref, [begunKey(call.id), outcomeKey(call.id)]);
  if (found.has(outcomeKey(call.id))) return null;
  if (found.has(begunKey(call.id))) return unknownOutcome;
  const args = argumentsOf(call.arguments);
  if (!args) return 'The call was not made: its arguments are not a JSON object.';
  await lookAgain(work);
  await journal.record(begunKey(call.id), { name: call.name });
  signal.throwIfAborted();
  return bounded(await made(work, call.name, args, signal));
}

async function made(work: Work, name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<string> {
  const { deps, caller } = work;
  try {
    const { text, isError, cut } = await inTime(deps.clock, signal, (both) =>
      deps.connectedTools.call(caller.userId, name, args, both),
    );
    const told = isError ? `The tool reported an error:\n${text}` : text;
    return cut ? `${bounded(told)}\n[cut: the tool sent more than is passed on]` : told;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutOfTime)
      return `The tool did not answer within ${toolLimitMs / 1000} seconds. It is not known whether the call took effect.`;
    deps.warn('a call of a connected tool failed', error);
    return 'The call failed. It is not known whether it took effect.';
  }
}

class OutOfTime extends Error {}

/** Whoever is called may not heed the signal, and is left alone then. */
export async function inTime<T>(
  clock: Clock,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const stopTimer = clock.every(toolLimitMs, () => limit.abort(new OutOfTime('a tool took too long')));
  const both = AbortSignal.any([signal, limit.signal]);
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  both.addEventListener('abort', () => over.reject(both.reason));
  try {
    return await Promise.race([call(both), over.promise]);
  } finally {
    stopTimer();
  }
}

function argumentsOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
