import { afterEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { AppError } from '../../lib/errors.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import type { Deps } from '../ports.ts';
import { chatModel } from '../scripted.fixture.ts';
import {
  bigGoal,
  engines,
  goodScript,
  openPlace,
  type Place,
  planOf,
  type Script,
  score,
  taskOf,
} from './autonomous.fixture.ts';

const broke = new AppError('insufficient_user_quota', 'Your balance does not cover this request.');
const question = 'What is the capital of France?';

describe.each(await engines())('money, on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  const begin = async (script: Script, deps: Partial<Deps> = {}) => {
    database = await open();
    place = await openPlace(database, script, { deps });
  };
  afterEach(async () => {
    await place.close();
    await database.close();
  });
  const status = async () => (await place.call('GET', '/s1/status')).body;
  const rows = async (table: string): Promise<number> => {
    const { rows: found } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
      database.db,
    );
    return Number(found[0]!.n);
  };

  test('a run without balance is refused, and nothing is written', async () => {
    let poor = true;
    const requireMoney = async () => {
      if (poor) throw broke;
    };
    await begin(() => broke, { requireMoney });
    const refused = await place.call('POST', '/execute', { message: question, session_id: 's1' });
    expect(refused).toEqual({ status: 403, body: { success: false, message: broke.message } });
    expect([await rows('ms_sessions'), await rows('ms_runs')]).toEqual([0, 0]);
    expect(place.asked).toEqual([]);
    poor = false;
    await place.execute(question, {}, { session_id: 's1', stream_events: false });
    expect(await status()).toMatchObject({ status: 'paused', reason: 'insufficient_quota' });
    poor = true;
    const before = await rows('ms_run_events');
    const { checkpoint_id } = await status();
    expect((await place.call('POST', '/resume', { session_id: 's1', checkpoint_id })).status).toBe(403);
    expect([(await status()).status, await rows('ms_run_events')]).toEqual(['paused', before]);
  });

  test('a user without balance can run free models', async () => {
    const requireMoney = () => Promise.reject(broke);
    await begin(goodScript, { requireMoney, models: () => [chatModel('v/free', 0)] });
    await place.execute(question, {}, { session_id: 's1', stream_events: false });
    expect((await status()).status).toBe('completed');
  });

  test('if the balance runs out, completed and remaining work is reported everywhere', async () => {
    let money = true;
    await begin((asked) => {
      if (asked.purpose === 'plan') return planOf({ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c', needs: ['b'] });
      if (taskOf(asked) === 'b' && !money) return broke;
      if (asked.purpose === 'evaluate') money = false;
      return asked.purpose === 'evaluate' ? score(0.9) : goodScript(asked);
    });
    const { body: answer } = await place.call('POST', '/execute', {
      message: bigGoal,
      session_id: 's1',
      stream_events: false,
    });
    const told = (await place.events('s1')).at(-1)!;
    const shown = await status();
    for (const said of [answer, told.data, shown]) {
      expect(said).toMatchObject({
        status: 'paused',
        reason: 'insufficient_quota',
        partial_result: '## Title a\n\nresult of a',
        remaining: ['Title b', 'Title c'],
        checkpoint_id: shown.checkpoint_id,
      });
    }
    expect(shown.checkpoint_id).toStartWith('ckpt-');
    place.script = goodScript;
    await place.call('POST', '/resume', {
      session_id: 's1',
      checkpoint_id: shown.checkpoint_id,
      stream_events: false,
    });
    expect(await status()).toMatchObject({
      status: 'completed',
      partial_result: null,
      remaining: [],
      checkpoint_id: null,
    });
    expect(place.asked.filter((asked) => taskOf(asked) === 'a')).toHaveLength(1);
  });

  test('a cancelled run reports its partial results', async () => {
    const reached = Promise.withResolvers<void>();
    await begin((asked) => {
      if (taskOf(asked) !== 'c') return goodScript(asked);
      reached.resolve();
      return new Promise(() => {});
    });
    await place.execute(bigGoal, {}, { session_id: 's1' });
    await reached.promise;
    await place.call('POST', '/cancel', { session_id: 's1' });
    const { data } = (await place.events('s1')).at(-1)!;
    const texts = '## Title a\n\nresult of a\n\n## Title b\n\nresult of b';
    for (const said of [data, await status()])
      expect(said).toMatchObject({ partial_result: texts, remaining: ['Title c'] });
  });

  test('charges for interrupted calls are counted, during the call, on cancel and after a resume', async () => {
    const charged = { usage: { promptTokens: 100, completionTokens: 20 }, cost: 7 };
    const reached = Promise.withResolvers<void>();
    let broke = false;
    await begin(async (asked) => {
      if (taskOf(asked) === 'a' && !broke) {
        broke = true;
        asked.onBroken!(charged);
        return new AppError('provider_error', 'the upstream response was cut off');
      }
      if (taskOf(asked) !== 'c')
        return { message: { role: 'assistant', content: `${await goodScript(asked)}` }, cost: 1 };
      asked.signal.addEventListener('abort', () => asked.onBroken!(charged));
      reached.resolve();
      return new Promise(() => {});
    });
    await place.execute(bigGoal, {}, { session_id: 's1' });
    await reached.promise;
    const whole = place.asked.length - 2;
    const before = await status();
    expect(before.total_cost).toBe(7 + whole);
    await place.call('POST', '/cancel', { session_id: 's1' });
    const spent = { total_cost: 14 + whole, total_tokens_used: before.total_tokens_used + 120 };
    await until('the call has ended', async () => (await status()).total_cost > before.total_cost);
    expect(await status()).toMatchObject({ status: 'cancelled', ...spent });
    place.script = goodScript;
    const { checkpoint_id } = await status();
    await place.call('POST', '/resume', { session_id: 's1', checkpoint_id, max_cost: 0.00001, stream_events: false });
    expect(await status()).toMatchObject({ status: 'paused', reason: 'max_cost', ...spent });
  });

  test('unknown fields are rejected by name', async () => {
    await begin(goodScript);
    const bodies: [string, object][] = [
      ['/execute', { message: question, output_mode: 'x' }],
      ['/resume', { session_id: 's1', checkpoint_id: 'c', output_mode: 'x' }],
      ['/cancel', { session_id: 's1', output_mode: 'x' }],
    ];
    for (const [path, body] of bodies) {
      const refused = await place.call('POST', path, body);
      expect([refused.status, refused.body.message]).toEqual([400, 'output_mode: there is no such parameter.']);
    }
    expect(await rows('ms_sessions')).toBe(0);
  });
});
