import { describe, test } from 'bun:test';
import { sql } from 'kysely';
import { until } from '../../lib/until.fixture.ts';
import { addUser, engines } from '../engines.fixture.ts';
import { openWriter } from './allotments.ts';
import { postgresAllotmentStore } from './postgres.ts';

describe.each(engines.filter(({ name }) => name === 'postgres'))('allotments on $name', (engine) => {
  test('rows that change with every batch do not grow the table', async () => {
    const open = await engine.open();
    const store = postgresAllotmentStore(open.db);
    const users = await Promise.all(Array.from({ length: 8 }, () => addUser(open.db, 1_000_000)));
    await openWriter(open.db, 'me');
    let batch = 0;
    const changeHundred = async () => {
      for (let i = 0; i < 100; i += 1) {
        batch += 1;
        const allotments = users.map((user_id) => ({ user_id, key_id: 0, paid: 0, used: 1, requests: 1 }));
        await store.charge({ owner: 'me', batch, after: batch - 1 }, { logs: [], allotments, ended: [] });
      }
    };
    const size = async () => {
      const { rows } = await sql<{ bytes: number }>`select pg_relation_size('billing_purses')
        + pg_relation_size('billing_writers') as bytes`.execute(open.db);
      return Number(rows[0]!.bytes);
    };
    // A snapshot of the whole database, such as a vacuum's, keeps old rows alive, which takes long on a busy machine.
    await until('a hundred changes take no more room', async () => {
      const before = await size();
      await changeHundred();
      return before === (await size());
    });
    await open.drop();
  });
});
