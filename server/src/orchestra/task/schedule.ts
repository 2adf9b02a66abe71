import type { Preferences } from '../preferences.ts';

export interface Node {
  id: string;
  depends_on: string[];
  /** Its own result is part of the answer. */
  asked_for?: boolean;
}

export interface Schedule<T extends Node, R> {
  tasks: T[];
  /** Maximum tasks running at once. */
  width: number;
  /** Results from an earlier run of the same graph; these tasks are not run again. */
  done?: ReadonlyMap<string, R>;
  signal: AbortSignal;
  /**
   * Runs one task. `results` holds the results of its direct and indirect dependencies. A failure is a result; a throw
   * aborts the whole graph.
   */
  run(task: T, results: ReadonlyMap<string, R>, signal: AbortSignal): Promise<R>;
  /** True if no further task may start after this result; running tasks finish. */
  pausesAfter?(result: R): boolean;
}

/** Number of tasks that run at once. */
export const widthOf = ({ enable_parallel_tasks }: Pick<Preferences, 'enable_parallel_tasks'>): number =>
  enable_parallel_tasks ? 4 : 1;

/** The tasks that no other task depends on. */
export function endsOf<T extends Node>(tasks: T[]): T[] {
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on));
  return tasks.filter(({ id }) => !needed.has(id));
}

/** The task whose text is the answer: all others lead to it, and none of them was asked for itself. Else null. */
export function answeringTask<T extends Node>(tasks: T[]): T | null {
  const [last, ...others] = endsOf(tasks);
  if (!last || others.length > 0) return null;
  return tasks.some((task) => task !== last && task.asked_for) ? null : last;
}

/** The shortest distance from this task to each of its direct and indirect dependencies. */
export function distancesTo<T extends Node>(tasks: T[], task: Node): Map<string, number> {
  const found = new Map(task.depends_on.map((id) => [id, 1]));
  // Iterating a Map includes the entries added during the loop, so nearer tasks come first.
  for (const [id, distance] of found) {
    const ups = tasks.find((one) => one.id === id)?.depends_on ?? [];
    for (const up of ups) if (!found.has(up)) found.set(up, distance + 1);
  }
  return found;
}

/**
 * Runs a task graph, each task as soon as its dependencies are done. A throw or an abort cancels the running tasks,
 * waits until they have ended, and rejects, so that nothing continues in the background.
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
    const led = distancesTo(tasks, task);
    const before = new Map(tasks.flatMap(({ id }) => (led.has(id) && results.has(id) ? [[id, results.get(id)!]] : [])));
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
