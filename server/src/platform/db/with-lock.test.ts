import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from './engines.fixture.ts';
import { type LockSpace, withLock } from './with-lock.ts';

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    beforeAll(async () => {
      open = await engine.open();
    });
    afterAll(() => open.drop());

    const within = (lock: [LockSpace, number], work: () => Promise<unknown>) =>
      open.db.transaction().execute(async (tx) => {
        await withLock(tx, ...lock);
        await work();
      });

    test('for the same owner the second waits for the first', async () => {
      const order: string[] = [];
      const begun = Promise.withResolvers<void>();
      const first = within(['runs', 7], async () => {
        begun.resolve();
        await Bun.sleep(100);
        order.push('first out');
      });
      await begun.promise;
      await within(['runs', 7], async () => order.push('second in'));
      await first;
      expect(order).toEqual(['first out', 'second in']);
    });

    if (engine.name === 'postgres')
      test.each([
        [
          ['runs', 7],
          ['runs', 8],
        ],
        [
          ['ownKeysOfUser', 7],
          ['ownKeysOfTeam', 7],
        ],
      ] as [LockSpace, number][][])('%p and %p do not wait for each other', async (one, another) => {
        const { promise: bothIn, resolve } = Promise.withResolvers<void>();
        const begun = Promise.withResolvers<void>();
        const first = within(one!, () => {
          begun.resolve();
          return bothIn;
        });
        await begun.promise;
        await within(another!, async () => resolve());
        await first;
      });
  });
