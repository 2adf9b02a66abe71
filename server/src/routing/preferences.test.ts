import { describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { alwaysReliable } from '../platform/shared/cache-sync.fixture.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { preferencesOf } from './candidate.fixture.ts';
import { openConfigs } from './configs.ts';
import { engines } from './db.fixture.ts';
import { openPreferences } from './preferences.ts';
import { defaultWeights } from './score.ts';

describe.each(await engines())('%s', (_, open) => {
  async function room() {
    const { db, close } = await open();
    const clock = manualClock();
    const shared = memoryShared(clock);
    return { db, clock, shared, deps: { db, clock, shared, cacheSync: alwaysReliable }, close };
  }

  test('omitted fields stay, null clears, and unset preferences are null', async () => {
    const { deps, close } = await room();
    const preferences = await openPreferences(deps);
    expect(await preferences.get(1)).toBeNull();
    expect(preferences.get(1)).toBeNull();
    await preferences.update(1, { maxPrice: 2.5, preferredProviders: ['a'], defaultStrategy: 'cost' });
    await preferences.update(1, { defaultStrategy: null, minSuccessRate: 0.9 });
    const expected = preferencesOf({ maxPrice: 2.5, preferredProviders: ['a'], minSuccessRate: 0.9 });
    expect(await preferences.get(1)).toEqual(expected);
    expect(preferences.get(1)).toEqual(expected);
    expect(await preferences.get(2)).toBeNull();
    await close();
  });

  test('two concurrent changes are both applied', async () => {
    const { deps, close } = await room();
    const preferences = await openPreferences(deps);
    await Promise.all([preferences.update(1, { maxPrice: 1 }), preferences.update(1, { maxLatencyMs: 900 })]);
    expect(await preferences.get(1)).toEqual(preferencesOf({ maxPrice: 1, maxLatencyMs: 900 }));
    await close();
  });

  test('a change in one process is visible in the other immediately', async () => {
    const { deps, close } = await room();
    const [a, b] = [await openPreferences(deps), await openPreferences(deps)];
    expect(await b.get(1)).toBeNull();
    await a.update(1, { blockedProviders: ['x'] });
    await Bun.sleep(0);
    expect((await b.get(1))?.blockedProviders).toEqual(['x']);
    await close();
  });

  test('an unannounced change is seen after a short time while messages are lost, and immediately once they are back', async () => {
    const { deps, clock, close } = await room();
    let heard = true;
    let forget = () => {};
    const onGap = (forgetAll: () => void) => {
      forget = forgetAll;
    };
    const deaf = await openPreferences({
      ...deps,
      shared: memoryShared(clock),
      cacheSync: { heard: () => heard, onGap },
    });
    const speaker = await openPreferences(deps);
    expect(await deaf.get(1)).toBeNull();
    await speaker.update(1, { blockedProviders: ['x'] });
    clock.advance(6_000);
    expect(await deaf.get(1)).toBeNull();
    heard = false;
    expect((await deaf.get(1))?.blockedProviders).toEqual(['x']);
    await speaker.update(1, { blockedProviders: ['y'] });
    expect((await deaf.get(1))?.blockedProviders).toEqual(['x']);
    heard = true;
    forget();
    expect((await deaf.get(1))?.blockedProviders).toEqual(['y']);
    await close();
  });

  test('with the database away, returns the last known value, or an error if there is none', async () => {
    const { db, clock, deps, close } = await room();
    const preferences = await openPreferences(deps);
    await preferences.update(1, { blockedProviders: ['x'] });
    await preferences.get(1);
    await db.schema.alterTable('routing_preferences').renameTo('away').execute();
    clock.advance(301_000);
    expect((await preferences.get(1))?.blockedProviders).toEqual(['x']);
    await expect(Promise.resolve(preferences.get(2))).rejects.toThrow();
    await db.schema.alterTable('away').renameTo('routing_preferences').execute();
    expect(await preferences.get(2)).toBeNull();
    await close();
  });

  test('configurations are merged with the defaults, seen by the other process and removed', async () => {
    const { deps, close } = await room();
    const [a, b] = [await openConfigs(deps), await openConfigs(deps)];
    await a.update('acme/large', { weights: { price: 5 } });
    const changed = await a.update('acme/large', { defaultStrategy: 'cost' });
    expect(changed).toEqual({ weights: { ...defaultWeights, price: 5 }, defaultStrategy: 'cost' });
    await until('the other knows', () => b.get('acme/large')?.defaultStrategy === 'cost');
    expect(b.get('acme/large')).toEqual(changed);
    expect(await a.remove('acme/large')).toBe(true);
    expect(await a.remove('acme/large')).toBe(false);
    expect(a.get('acme/large')).toBeNull();
    await close();
  });

  test('weights that sum to zero are rejected, and nothing changes', async () => {
    const { deps, close } = await room();
    const configs = await openConfigs(deps);
    await configs.update('m', { weights: { latency: 0, successRate: 0, price: 1, priority: 0 } });
    await expect(configs.update('m', { weights: { price: 0 } })).rejects.toThrow('must not all be zero');
    expect(configs.get('m')?.weights.price).toBe(1);
    await close();
  });
});
