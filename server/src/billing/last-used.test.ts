import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { touchKeys } from '../identity/store/keys.ts';
import { requestId } from '../lib/ids.ts';
import type { Billing } from './billing.ts';
import { addKey, addUser, engines, openTestBilling } from './engines.fixture.ts';

const usage = { promptTokens: 1, completionTokens: 1 };
const count = 40;

describe.each(engines)('keys in use on $name', (engine) => {
  test('last-used times are written beside charges concurrently without deadlocks', async () => {
    const open = await engine.open();
    const users = await Promise.all(Array.from({ length: count }, () => addUser(open.db, 1_000_000)));
    const keys = await Promise.all(users.map((user) => addKey(open.db, user, 0, true)));
    const billing: Billing = await openTestBilling(open);
    const charge = async (n: number) => {
      for (let i = 0; i < 10; i += 1) {
        const who = (n * 7 + i * 11) % count;
        const hold = await billing.hold({
          requestId: requestId(),
          userId: users[who]!,
          keyId: keys[who]!,
          keyUnlimited: true,
          amount: 10,
          modelId: 'm',
        });
        await billing.settle(hold, { cost: 5, usage, endpoint: '/v1' });
      }
    };
    const touch = async (order: number[]) => {
      for (let round = 1; round <= 20; round += 1)
        await touchKeys(
          open.db,
          order.map((id) => [id, round]),
        );
    };
    await Promise.all([touch(keys), touch(keys.toReversed()), ...Array.from({ length: 16 }, (_, n) => charge(n))]);
    const { rows } = await sql<{
      n: number;
      used: number;
    }>`select count(*) as n, sum(used_quota) as used from api_keys_now
      where accessed_time = 20`.execute(open.db);
    expect([Number(rows[0]!.n), Number(rows[0]!.used)]).toEqual([count, 16 * 10 * 5]);
    if (engine.name === 'postgres') expect(await deadlocks(open.db)).toBe(0);
    await billing.stop();
    await open.drop();
  });
});

/** A settlement chosen as deadlock victim is retried, so only the server's statistics show it. */
async function deadlocks(db: Parameters<typeof touchKeys>[0]): Promise<number> {
  // The server updates its statistics with a delay of up to a second.
  await Bun.sleep(1_100);
  const { rows } = await sql<{ n: number }>`select deadlocks as n from pg_stat_database
    where datname = current_database()`.execute(db);
  return Number(rows[0]!.n);
}
