import type { z } from 'zod';

/** The first thing that is wrong with what was read, after its place; `at` is where all of it stands. */
export function firstFault({ issues }: z.ZodError, at: readonly string[] = []): string {
  const { path, message } = issues[0]!;
  const place = [...at, ...path].join('.');
  return place === '' ? message : `${place}: ${message}`;
}
