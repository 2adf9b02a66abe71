import type { Preferences } from '../preferences.ts';

export interface Node {
  id: string;
  depends_on: string[];
}

export interface Schedule<T extends Node, R> {
  tasks: T[];
  /** At most this many at once. */
  width: number;
  /** Results of an earlier run of the same graph; their tasks are not run again. */
  done?: ReadonlyMap<string, R>;
  signal: AbortSignal;
  /** Does one task. `results` holds those of all that led to it; a failure is a result, a throw ends everything. */
  run(task: T, results: ReadonlyMap<string, R>, signal: AbortSignal): Promise<R>;
  /** True when no further task may start after this result; those that run are let finish. */
  pausesAfter?(result: R): boolean;
}

/** Tasks at once. */
export const widthOf = ({ enable_parallel_tasks }: Pick<Preferences, 'enable_parallel_tasks'>): number =>
  enable_parallel_tasks ? 4 : 1;

/** The tasks that no other one needs. */
export function endsOf<T extends Node>(tasks: T[]): T[] {
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on));
  return tasks.filter(({ id }) => !needed.has(id));
}

/** The one task that all others lead to: its text is the answer. Null when several end the plan. */
export function answeringTask<T extends Node>(tasks: T[]): T | null {
  const ends = endsOf(tasks);
  return ends.length === 1 ? ends[0]! : null;
}

/** All tasks that lead to this one, in the order of the plan. */
function ancestorsOf<T extends Node>(tasks: T[], task: Node): T[] {
  const found = new Set(task.depends_on);
  // A set is walked with what is added on the way.
  for (const id of found) for (const one of tasks) if (one.id === id) for (const up of one.depends_on) found.add(up);
  return tasks.filter(({ id }) => found.has(id));
}

/**
 * Runs a graph of tasks, each as soon as what it needs is there. A throw or an abort cancels what runs, waits
 * until it has ended, and rejects: nothing goes on unseen.
 */
export async function runGraph<T extends Node, R>(schedule: Schedule<T, R>): Promise<Map<string, R>> {
  const { tasks, width, signal } = schedule;
  const results = new Map(schedule.done);
  const waiting = tasks.filter((task) => !results.has(task.id));
  const running = new Map<string, Promise<void>>();
  const stop = new AbortController();
  const linked = AbortSignal.any([signal, stop.signal]);
  let failure: { error: unknown } | undefined;
  let paused = false;

  const start = (task: T) => {
    const before = new Map(
      ancestorsOf(tasks, task).flatMap(({ id }) => (results.has(id) ? [[id, results.get(id)!]] : [])),
    );
    const work = schedule.run(task, before, linked).then(
      (result) => {
        results.set(task.id, result);
        paused ||= schedule.pausesAfter?.(result) ?? false;
      },
      (error) => {
        failure ??= { error };
        stop.abort(error);
      },
    );
    running.set(
      task.id,
      work.finally(() => running.delete(task.id)),
    );
  };

  for (;;) {
    for (let i = 0; i < waiting.length && running.size < width && !failure && !paused && !signal.aborted; ) {
      if (waiting[i]!.depends_on.every((id) => results.has(id))) start(waiting.splice(i, 1)[0]!);
      else i++;
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (failure) throw failure.error;
  signal.throwIfAborted();
  return results;
}
