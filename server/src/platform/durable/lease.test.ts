import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from '../db/engines.fixture.ts';
import { retryUntilWritten, takeLease } from './lease.ts';

describe.each(engines)('leases on $name', (engine) => {
  let open: TestDb;
  beforeEach(async () => {
    open = await engine.open();
    await open.db
      .insertInto('owners')
      .values(['a', 'b'].map((id) => ({ id, beats: 0 })))
      .execute();
  });
  afterEach(() => open.drop());
  const take = (id: string, name = 'n') => takeLease(open.db, { id }, name);

  test('a name has one holder, which alone can release it', async () => {
    const release = await take('a');
    expect(await take('b')).toBeNull();
    expect(await take('a')).toBeNull();
    expect(await take('b', 'other')).not.toBeNull();
    await release!();
    const next = await take('b');
    await release!();
    expect(await take('a')).toBeNull();
    await next!();
  });

  test('of many concurrent requests one succeeds', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => take(i % 2 ? 'a' : 'b')));
    expect(all.filter((one) => one !== null)).toHaveLength(1);
  });

  test('a removed holder is replaced by one, and cannot end the new lease', async () => {
    const release = await take('a');
    await open.db.deleteFrom('owners').where('id', '=', 'a').execute();
    const all = await Promise.all([1, 2, 3].map(() => take('b')));
    expect(all.filter((one) => one !== null)).toHaveLength(1);
    await release!();
    expect(await take('b')).toBeNull();
  });
});

test('a release is retried until it is written or the lease has another holder', async () => {
  const owners = { id: 'me' };
  const failures: unknown[] = [];
  let tries = 0;
  await retryUntilWritten(
    owners,
    async () => {
      tries += 1;
      if (tries < 2) throw new Error('away');
    },
    (error) => failures.push(error),
  );
  expect([tries, failures.length]).toEqual([2, 1]);
  await retryUntilWritten(
    owners,
    () => Promise.reject(new Error('away')),
    () => {
      owners.id = '';
    },
  );
});
