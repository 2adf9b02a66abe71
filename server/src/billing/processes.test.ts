import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { requestId } from '../lib/ids.ts';
import { openDb } from '../platform/db/open.ts';
import type { Billing } from './billing.ts';
import { addKey, addUser, booksOf, engines, openTestBilling } from './engines.fixture.ts';
import type { Hold } from './types.ts';

const usage = { promptTokens: 1, completionTokens: 1 };

describe.each(engines.filter((engine) => engine.name === 'postgres'))('several processes on $name', (engine) => {
  test.each([2, 4])(
    '%d share users and keys without deadlocks, lost money or balances below zero',
    async (count) => {
      const open = await engine.open();
      const users = await Promise.all([1, 2, 3, 4].map(() => addUser(open.db, 3_000)));
      const keys = await Promise.all(users.map((user) => addKey(open.db, user, 2_000, false)));
      const others = await Promise.all(Array.from({ length: count }, () => openDb(open.where)));
      const all = await Promise.all(others.map((database) => openTestBilling(database)));
      let refused = 0;
      const client = async (billing: Billing, n: number) => {
        for (let i = 0; i < 25; i++) {
          const who = (n + i * 3) % users.length;
          const request = {
            requestId: requestId(),
            userId: users[who]!,
            modelId: `m${i % 3}`,
            amount: 40 + (i % 5) * 20,
          };
          const key = i % 2 ? { keyId: keys[who]!, keyUnlimited: false } : { keyId: null, keyUnlimited: true };
          const hold = await billing.hold({ ...request, ...key }).catch((error) => {
            expect(error.code).toMatch(/^insufficient_/);
            refused += 1;
            return null;
          });
          if (hold && i % 7 === 0) await billing.release(hold);
          else if (hold)
            await billing.settle(hold, { cost: i % 11 === 0 ? hold.amount + 30 : 25, usage, endpoint: '/v1' });
        }
      };
      await Promise.all(all.flatMap((billing, p) => Array.from({ length: 12 }, (_, n) => client(billing, n + p))));
      expect(refused).toBeGreaterThan(0);
      for (const user of users) {
        const books = await booksOf(open.db, user);
        expect(books.quota).toBeGreaterThanOrEqual(0);
        expect(books).toMatchObject({ held: 0, used: 3_000 - books.quota, ledger: books.quota - 3_000 });
        expect(books).toMatchObject({ logs: books.used, days: books.used });
      }
      const { rows } = await sql<{ deadlocks: number }>`select deadlocks from pg_stat_database
      where datname = current_database()`.execute(open.db);
      expect(Number(rows[0]!.deadlocks)).toBe(0);
      await Promise.all(all.map((billing) => billing.stop()));
      await Promise.all(others.map((database) => database.close()));
      await open.drop();
    },
    300_000,
  );

  test('connections that break under load lose no charge and leave no hold', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1_000_000);
    const other = await openDb(open.where);
    const billing = await openTestBilling(other);
    let answered = 0;
    let ended = false;
    const client = async () => {
      while (!ended) {
        const request = {
          requestId: requestId(),
          userId: user,
          keyId: null,
          keyUnlimited: true,
          amount: 10,
          modelId: 'm',
        };
        const hold: Hold | null = await billing.hold(request).catch(() => null);
        if (!hold) continue;
        await billing.settle(hold, { cost: 3, usage, endpoint: '/v1' });
        answered += 1;
      }
    };
    const clients = Array.from({ length: 16 }, client);
    for (let i = 0; i < 4; i++) {
      await Bun.sleep(100);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(open.db);
    }
    ended = true;
    await Promise.all(clients);
    await billing.stop();
    const books = await booksOf(open.db, user);
    expect(answered).toBeGreaterThan(0);
    expect(books).toMatchObject({ requests: answered, used: answered * 3, held: 0, quota: 1_000_000 - answered * 3 });
    await other.close();
    await open.drop();
  }, 300_000);
});
