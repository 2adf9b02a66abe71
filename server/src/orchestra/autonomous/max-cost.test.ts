import { afterEach, describe, expect, test } from 'bun:test';
import { quotaPerUsd } from '../../lib/money.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { bigGoal, engines, goodScript, openPlace, type Place } from './autonomous.fixture.ts';

/** Each call costs a cent, whatever the list says. */
const cent = quotaPerUsd / 100;

describe.each(await engines())('max_cost, on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  afterEach(async () => {
    await place.close();
    await database.close();
  });
  const status = async () => (await place.call('GET', '/s1/status')).body;

  test('no call starts at or above it, resuming can raise it, and spent money stays counted', async () => {
    database = await open();
    place = await openPlace(database, async (asked) => {
      const said = await goodScript(asked);
      return { message: { role: 'assistant', content: `${said}` }, cost: cent };
    });
    const wrong = await place.call('POST', '/execute', { message: bigGoal, max_cost: -1 });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('max_cost')]);
    const inside = await place.call('POST', '/execute', { message: bigGoal, config: { max_cost: 1 } });
    expect([inside.status, inside.body.message]).toEqual([400, expect.stringContaining('max_cost')]);
    const limited = { session_id: 's1', stream_events: false, max_cost: 0.01 };
    await place.execute(bigGoal, {}, limited);
    expect(await status()).toMatchObject({ status: 'paused', reason: 'max_cost', cost: 0.01, total_cost: cent });
    expect((await status()).max_cost).toBe(0.01);
    expect(place.asked.map(({ purpose }) => purpose)).toEqual(['plan']);
    const [listed] = (await place.call('GET', '')).body.data.executions;
    expect([listed.cost, listed.reason]).toEqual([0.01, 'max_cost']);
    const resume = async (checkpoint_id: string, more = {}) =>
      place.call('POST', '/resume', { session_id: 's1', checkpoint_id, stream_events: false, ...more });
    const first = (await status()).checkpoint_id;
    // Without more it stops where it stood.
    expect((await resume(first)).body).toMatchObject({ status: 'paused', reason: 'max_cost' });
    expect(place.asked).toHaveLength(1);
    await resume(first, { max_cost: 0.02 });
    const { cost, status: now } = await status();
    expect(now).toBe('paused');
    // Of the tasks that begin together each begins below.
    expect(cost).toBeGreaterThanOrEqual(0.02);
    expect(cost).toBeLessThanOrEqual(0.03);
    // Back to where it had cost less: what was spent since counts all the same.
    expect((await resume(first, { max_cost: 0.02 })).body.status).toBe('paused');
    expect((await status()).cost).toBe(cost);
    expect((await resume((await status()).checkpoint_id, { max_cost: null })).body.status).toBe('completed');
    expect((await status()).cost).toBeCloseTo(place.asked.length / 100, 6);
  });
});
