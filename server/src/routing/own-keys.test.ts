import { describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { alwaysReliable } from '../platform/shared/cache-sync.fixture.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { engines } from './db.fixture.ts';
import { openOwnKeys } from './own-keys.ts';

const sealer = openSealer({ keys: [{ id: 'a', key: new Uint8Array(32).fill(7) }] });
const input = { provider: 'acme', name: 'Mine', credential: 'sk-mine', fallback: false, status: 1 };

describe.each(await engines())('%s', (_, open) => {
  async function room() {
    const { db, close } = await open();
    const clock = manualClock();
    const shared = memoryShared(clock);
    const deps = {
      db,
      clock,
      shared,
      cacheSync: alwaysReliable,
      sealer,
      allowed: () => true,
      onTrouble: () => {},
    };
    return { db, keys: await openOwnKeys(deps), close };
  }

  test.each([{ userId: 7 }, { teamId: 7 }])(
    'of many keys added concurrently, at most twenty are kept: %p',
    async (owner) => {
      const { keys, close } = await room();
      const tries = await Promise.allSettled(Array.from({ length: 40 }, () => keys.add(owner, input)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
      expect(await keys.list(owner)).toHaveLength(20);
      await close();
    },
  );
});
