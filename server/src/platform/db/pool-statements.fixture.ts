import { spyOn } from 'bun:test';
import { PostgresPool } from './postgres-pool.ts';

/** The journal of charges is filed in the background. */
const filing = /usage_journal(?! \(entries)|insert into usage_logs|svc_add_up_changes|advisory/;

/** All that is asked of PostgreSQL from now on, except what matches `besides`: what the process asks by itself. */
export function watchPool(besides: RegExp): { statements: string[]; stop(): void } {
  const statements: string[] = [];
  const { unsafe } = PostgresPool.prototype;
  const spied = spyOn(PostgresPool.prototype, 'unsafe').mockImplementation(function (this: PostgresPool, text, values) {
    if (!besides.test(text) && !filing.test(text)) statements.push(text);
    return unsafe.call(this, text, values);
  });
  return { statements, stop: () => spied.mockRestore() };
}
