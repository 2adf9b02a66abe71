import { expect, test } from 'bun:test';
import { openTestApp } from '../app.fixture.ts';
import { systemClock } from '../lib/clock.ts';
import { openOptions } from './options.ts';

test('a late read does not overwrite a newer value', async () => {
  const service = await openTestApp();
  const { database, shared } = service.platform;
  const [arrived, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held: (() => Promise<void>)[] = [];
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await held.pop()?.();
      return result;
    },
  });
  const cacheSync = { heard: () => true, onGap: () => {} };
  const options = await openOptions({ db, shared, cacheSync, clock: systemClock, defaults: {} });
  held.push(() => {
    arrived.resolve();
    return late.promise;
  });
  const older = options.reload();
  await arrived.promise;
  await options.set('RateLimitApi', 7);
  late.resolve();
  await older;
  expect(options.get('RateLimitApi')).toBe(7);
  await options.close();
  await service.close();
});
