import { spyOn } from 'bun:test';
import { PostgresPool } from './postgres-pool.ts';

/** All that is asked of PostgreSQL from now on, except what matches `besides`: what the process asks by itself. */
export function watchPool(besides: RegExp): { statements: string[]; stop(): void } {
  const statements: string[] = [];
  const { unsafe } = PostgresPool.prototype;
  const spied = spyOn(PostgresPool.prototype, 'unsafe').mockImplementation(function (this: PostgresPool, text, values) {
    if (!besides.test(text)) statements.push(text);
    return unsafe.call(this, text, values);
  });
  return { statements, stop: () => spied.mockRestore() };
}
