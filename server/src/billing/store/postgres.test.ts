import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { addUser, engines } from '../engines.fixture.ts';
import { holdRow } from '../rows.ts';
import { postgresHoldStore } from './postgres.ts';

describe.each(engines.filter(({ name }) => name === 'postgres'))('holds on $name', (engine) => {
  test('those that came and went leave room for those to come', async () => {
    const open = await engine.open();
    const store = postgresHoldStore(open.db);
    const userId = await addUser(open.db, 1_000_000);
    let requests = 0;
    const passThousand = async () => {
      for (let batch = 0; batch < 10; batch += 1) {
        const rows = Array.from({ length: 100 }, () => {
          requests += 1;
          const request = { requestId: `r${requests}`, userId, keyId: null, keyUnlimited: true };
          return holdRow({ ...request, amount: 1, modelId: 'm' }, 'me', 1_700_000_000);
        });
        await store.hold(rows);
        await store.settle(rows.map((row) => ({ ...row, log: null })));
      }
    };
    const size = async () => {
      const { rows } = await sql<{ bytes: number }>`select pg_relation_size('billing_holds') as bytes`.execute(open.db);
      return Number(rows[0]!.bytes);
    };
    await passThousand();
    const once = await size();
    expect(once).toBeGreaterThan(0);
    for (let times = 0; times < 4; times += 1) {
      await store.tidy();
      await passThousand();
    }
    expect(await size()).toBeLessThan(2 * once);
    await open.drop();
  });
});
