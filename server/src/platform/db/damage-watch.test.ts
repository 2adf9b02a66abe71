import { expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { Metrics } from '../metrics.ts';
import { watchForDamage } from './damage-watch.ts';

test('damage is checked after the start and daily, reported, and cleared once repaired', async () => {
  const clock = manualClock();
  const metrics = new Metrics();
  const told: unknown[] = [];
  const found: (string | undefined)[] = [];
  const log = { error: (fields: unknown) => void told.push(fields), warn: () => {} };
  const env = { PATH: process.env.PATH, code: '1' };
  const command = ['sh', '-c', 'echo owners: torn page; exit $code'];
  const stop = watchForDamage({ command, env, log, metrics, clock, looked: (damage) => found.push(damage) });
  const damaged = async () => (await metrics.render()).includes('\nsvc_database_damaged 1');
  expect(await damaged()).toBe(false);
  clock.advance(60_000);
  await until('the damage is told', damaged);
  expect(told).toEqual([{ found: 'owners: torn page' }]);
  env.code = '0';
  clock.advance(23 * 3_600_000);
  expect(await damaged()).toBe(true);
  clock.advance(3_600_000);
  await until('it is mended', async () => !(await damaged()));
  expect(told).toHaveLength(1);
  expect(found).toEqual(['owners: torn page', undefined]);
  stop();
});
