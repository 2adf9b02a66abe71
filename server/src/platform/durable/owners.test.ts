import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engines, silent, type TestDb } from '../../billing/engines.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import type { Db } from '../db/tables.ts';
import { beatMs, deadAfterMs, type Owners, openOwners } from './owners.ts';

test("a killed process's work is taken over within ten seconds", () => {
  expect(deadAfterMs + beatMs).toBeLessThan(10_000);
  expect(3 * beatMs).toBeLessThan(deadAfterMs);
});

/** A database that can be made unavailable. */
function fragile(db: Db): { db: Db; away: boolean; hangs: boolean } {
  const place = { db: null as unknown as Db, away: false, hangs: false };
  const never = { set: () => never, where: () => never, executeTakeFirst: () => new Promise(() => {}) };
  place.db = new Proxy(db, {
    get: (target, name) => {
      if (place.away && name !== 'getExecutor') throw new Error('away');
      if (place.hangs && name === 'updateTable') return () => never;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return place;
}

describe.each(engines)('owners on $name', (engine) => {
  let open: TestDb;
  let opened: Owners[] = [];
  const clock = manualClock();
  beforeEach(async () => {
    open = await engine.open();
  });
  afterEach(async () => {
    for (const owners of opened) await owners.leave();
    opened = [];
    await open.drop();
  });
  const join = async (db: Db = open.db) => {
    const owners = await openOwners({ db, log: silent, clock });
    opened.push(owners);
    const seen = { looks: 0, losses: 0 };
    owners.onLook(async () => {
      seen.looks += 1;
    });
    owners.onLost(() => {
      seen.losses += 1;
    });
    return { owners, seen };
  };
  /** As many heartbeats of the given processes as fit into this time; all others are silent. */
  const beats = async (ms: number, ...living: Owners[]) => {
    for (let passed = 0; passed < ms; passed += beatMs) {
      clock.advance(beatMs);
      for (const owners of living) await owners.look();
    }
  };
  const listed = async () => (await open.db.selectFrom('owners').select('id').execute()).map(({ id }) => id);
  const addSilent = async (id = 'silent') => {
    await open.db.insertInto('owners').values({ id, beats: 7 }).execute();
  };

  test('a silent process is removed no sooner than it is considered dead, and takeover starts at once', async () => {
    const { owners, seen } = await join();
    await owners.look();
    await addSilent();
    await beats(deadAfterMs, owners);
    expect(await listed()).toContain('silent');
    const looks = seen.looks;
    await beats(beatMs, owners);
    expect(await listed()).toEqual([owners.id]);
    expect(seen).toEqual({ looks: looks + 1, losses: 0 });
  });

  test('a process that leaves is removed at once', async () => {
    const { owners } = await join();
    expect(await listed()).toEqual([owners.id]);
    await owners.leave();
    expect(await listed()).toEqual([]);
  });

  test('a heartbeat keeps a process on the list', async () => {
    const { owners } = await join();
    await addSilent();
    for (let i = 0; i < 20; i += 1) {
      await open.db.updateTable('owners').set({ beats: i }).where('id', '=', 'silent').execute();
      await beats(beatMs, owners);
    }
    expect(await listed()).toContain('silent');
  });

  test('after a database outage, processes have time to report before any takeover', async () => {
    const place = fragile(open.db);
    const { owners, seen } = await join(place.db);
    await addSilent();
    await beats(3 * beatMs, owners);
    place.away = true;
    await beats(10 * deadAfterMs, owners);
    place.away = false;
    await beats(deadAfterMs, owners);
    expect(await listed()).toContain('silent');
    expect(seen.losses).toBe(1);
    await beats(beatMs, owners);
    expect(await listed()).toEqual([owners.id]);
  });

  test('a process that cannot report drops its work once before a takeover, and keeps its identity', async () => {
    const place = fragile(open.db);
    const { owners, seen } = await join(place.db);
    await beats(beatMs, owners);
    const { id } = owners;
    place.away = true;
    await beats(deadAfterMs - 2 * beatMs, owners);
    expect(seen.losses).toBe(0);
    await beats(2 * beatMs, owners);
    expect(seen.losses).toBe(1);
    await beats(deadAfterMs, owners);
    place.away = false;
    await beats(beatMs, owners);
    expect([owners.id, seen.losses]).toEqual([id, 1]);
  });

  test('a hanging database is noticed too, without a response', async () => {
    const place = fragile(open.db);
    const { owners, seen } = await join(place.db);
    await beats(beatMs, owners);
    place.hangs = true;
    clock.advance(deadAfterMs - 2 * beatMs);
    expect(seen.losses).toBe(0);
    clock.advance(2 * beatMs);
    expect(seen.losses).toBe(1);
    opened = [];
  });

  test('a process considered dead loses its work and returns with a new name', async () => {
    const { owners, seen } = await join();
    const { id } = owners;
    await open.db.deleteFrom('owners').execute();
    await owners.look();
    expect(seen.losses).toBe(1);
    expect(owners.id).not.toBe(id);
    expect(await listed()).toEqual([owners.id]);
  });

  test('a failed takeover is retried with the next heartbeat', async () => {
    const { owners } = await join();
    let tries = 0;
    owners.onLook(async () => {
      tries += 1;
      if (tries === 1) throw new Error('no');
    });
    await owners.look();
    await beats(beatMs, owners);
    expect(tries).toBe(2);
    await beats(2 * beatMs, owners);
    expect(tries).toBe(2);
  });

  test('a process whose messages are not received reports it, and the others learn when all are received again', async () => {
    const { owners } = await join();
    let forgotten = 0;
    owners.onAllHeard(() => {
      forgotten += 1;
    });
    await addSilent('mute');
    const say = (mute: number) => open.db.updateTable('owners').set({ mute }).where('id', '=', 'mute').execute();
    await beats(beatMs, owners);
    expect([owners.anyMute, forgotten]).toEqual([false, 0]);
    await say(1);
    await beats(beatMs, owners);
    expect([owners.anyMute, forgotten]).toEqual([true, 0]);
    await say(0);
    await beats(beatMs, owners);
    expect([owners.anyMute, forgotten]).toEqual([false, 1]);
    // If it dies now, the changes it made while mute are never announced.
    await say(1);
    await beats(beatMs, owners);
    await open.db.deleteFrom('owners').where('id', '=', 'mute').execute();
    await beats(beatMs, owners);
    expect([owners.anyMute, forgotten]).toEqual([false, 2]);
  });

  test('a process that receives nothing reports it, and excludes itself', async () => {
    let mute = false;
    const owners = await openOwners({ db: open.db, log: silent, clock, isMute: () => mute });
    opened.push(owners);
    const told = async () => (await open.db.selectFrom('owners').select('mute').execute()).map((row) => row.mute);
    expect(await told()).toEqual([0]);
    mute = true;
    await beats(beatMs, owners);
    expect(await told()).toEqual([1]);
    expect(owners.anyMute).toBe(false);
    mute = false;
    await beats(beatMs, owners);
    expect(await told()).toEqual([0]);
  });

  if (engine.name === 'sqlite')
    test('the process that opens the file is its only owner', async () => {
      await addSilent();
      const { owners } = await join();
      expect(await listed()).toEqual([owners.id]);
    });
  else {
    test('a joining process removes only long silent processes', async () => {
      const ago = (seconds: number) => sql<number>`floor(extract(epoch from clock_timestamp())) - ${seconds}`;
      await addSilent('says nothing of times');
      const rows = { 'long silent': 31, 'silent a while': 20, 'of a clock ahead': -60 };
      for (const [id, seconds] of Object.entries(rows))
        await open.db
          .insertInto('owners')
          .values({ id, beats: 7, beaten_at: ago(seconds) })
          .execute();
      const { owners } = await join();
      const left = ['of a clock ahead', 'says nothing of times', 'silent a while', owners.id];
      expect((await listed()).sort()).toEqual(left.sort());
    });

    test('each heartbeat has its time', async () => {
      const { owners } = await join();
      await open.db.updateTable('owners').set({ beaten_at: 1 }).execute();
      await beats(beatMs, owners);
      const { owners: other } = await join();
      expect((await listed()).sort()).toEqual([owners.id, other.id].sort());
    });

    test('two processes run side by side', async () => {
      const [one, other] = [await join(), await join()];
      await beats(2 * deadAfterMs, one.owners, other.owners);
      expect((await listed()).sort()).toEqual([one.owners.id, other.owners.id].sort());
      await other.owners.leave();
      const { looks } = one.seen;
      await beats(beatMs, one.owners);
      expect(one.seen.looks).toBe(looks + 1);
    });
  }
});
