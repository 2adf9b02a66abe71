import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, silent, type TestDb } from '../../billing/engines.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { openDatabaseClock } from './database-clock.ts';

const hourMs = 3_600_000;
/** Longer than anything here takes on the busiest machine, and far less than the clocks differ. */
const nearMs = hourMs / 2;

describe.each(engines.filter(({ name }) => name === 'postgres'))('the clock of $name', (engine) => {
  let open: TestDb;
  beforeAll(async () => {
    open = await engine.open();
  });
  afterAll(() => open.drop());

  test.each([
    ['two hours ahead', 2 * hourMs],
    ['two hours behind', -2 * hourMs],
  ])('is used by a process whose own clock is %s, and advances with its steady time', async (_, wrongMs) => {
    const machine = manualClock(Date.now() + wrongMs);
    const warnings: unknown[] = [];
    const log = { ...silent, warn: (...told: unknown[]) => void warnings.push(told) };
    const clock = await openDatabaseClock({ db: open.db, clock: machine, log });
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(nearMs);
    expect(warnings).toHaveLength(1);
    const before = clock.nowMs();
    machine.jump(90 * 60_000);
    expect(clock.nowMs()).toBe(before);
    machine.advance(1_000);
    expect(clock.nowMs()).toBe(before + 1_000);
    clock.close();
  });

  test('is read again: a machine that was asleep is soon correct', async () => {
    const machine = manualClock(Date.now());
    const clock = await openDatabaseClock({ db: open.db, clock: machine, log: silent });
    // Advancing the monotonic clock while the database's stands still equals setting the database's clock back.
    machine.advance(2 * hourMs);
    await until('it agrees', () => Math.abs(clock.nowMs() - Date.now()) < nearMs);
    clock.close();
  });
});
