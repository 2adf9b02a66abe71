import { expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { bigGoal, openPlace, openSqlite } from './autonomous.fixture.ts';
import { bring, callingScript, toolOf } from './run-tools.fixture.ts';

test('outputs of tools count towards the storage of their user, and are refused where it is full', async () => {
  const database = await openSqlite();
  let taken = 0;
  let room = Number.POSITIVE_INFINITY;
  const take = async (_: number, bytes: number) => {
    if (taken + bytes > room) throw new AppError('storage_full', 'Your storage is full.');
    taken += bytes;
  };
  const storage = { take, tries: async () => true, add: () => {} };
  const two = callingScript({
    c: [
      ['look_up', '{}'],
      ['weigh', '{}'],
    ],
  });
  const place = await openPlace(database, two, { deps: { storage } });
  const { body } = await place.call('POST', '/execute', {
    ...{ message: bigGoal, session_id: 's1', stream_events: false },
    tools: ['look_up', 'weigh'].map(toolOf),
  });
  const [first, second] = body.pending_tool_calls.map(({ id }: { id: string }) => id);
  const before = taken;
  await bring(place, { [first]: 'x'.repeat(60_000) });
  expect(taken - before).toBeGreaterThan(60_000);
  room = taken + 1_000;
  const full = await bring(place, { [second]: 'y'.repeat(60_000) });
  expect([full.status, (await place.call('GET', '/s1/status')).body.status]).toEqual([403, 'waiting_for_tools']);
  room = Number.POSITIVE_INFINITY;
  expect((await bring(place, { [second]: 'y' })).body.status).toBe('completed');
  await place.close();
  await database.close();
});
