import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engines } from '../db/engines.fixture.ts';
import { toAppError } from './to-app-error.ts';

test.each(engines)('a row whose owner is gone is a conflict, on $name', async (engine) => {
  const { db, drop } = await engine.open();
  const orphan = sql`insert into organisation_budgets (organisation_id, level, level_id, span, amount, hard, alerts,
    created_at) values (1, 'organisation', 1, 'day', 1, 1, '[]', 0)`;
  const thrown = await orphan.execute(db).catch((error: unknown) => error);
  expect(toAppError(thrown).code).toBe('conflict');
  await drop();
});

test.each(['40001', '40P01'])('a transaction that PostgreSQL ended for another one (%s) is a conflict', (errno) => {
  expect(toAppError(Object.assign(new Error('deadlock detected'), { errno })).code).toBe('conflict');
});

test('what is unknown stays an internal error', () => {
  expect(toAppError(new Error('no')).code).toBe('internal_error');
  expect(toAppError('no').code).toBe('internal_error');
});
