import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from '../../billing/engines.fixture.ts';
import { findKept, keepAnswer } from '../../billing/store/kept-answers.ts';
import { AppError } from '../../lib/errors.ts';
import { until } from '../../lib/until.fixture.ts';
import { type Attempt, cancelResponse } from './background.ts';
import { followResponse } from './follow.ts';
import { newId } from './items.ts';
import type { Item } from './keeper.ts';
import { limits } from './limits.ts';
import { ada, openProcess, type Process, queuedOf, responseOf, said, textsOf } from './responses.fixture.ts';
import { beginWork, readResponse, runningOf } from './store/background.ts';

/** What the model is made to do, by what it is asked. */
const begun: Attempt[] = [];
/** Answers that do not care whether anybody still wants them. */
const stubborn = new Map<string, () => void>();
async function model(body: Item, attempt: Attempt) {
  begun.push(attempt);
  const text = String(body.input);
  if (text === 'lost model') throw new AppError('model_not_found', 'Gone.');
  if (text === 'lost money') throw new AppError('insufficient_user_quota', 'Spent.');
  if (text.startsWith('refuse')) throw new AppError('rate_limit_exceeded', 'Slow down.');
  if (text.startsWith('break')) throw new Error('secret');
  if (text.startsWith('away') && begun.filter(({ id }) => id === attempt.id).length < 6)
    throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  if (text.startsWith('wait'))
    await new Promise((_, reject) => {
      attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason), { once: true });
    });
  if (text.startsWith('stubborn')) await new Promise<void>((resolve) => stubborn.set(attempt.id, resolve));
  for (const delta of ['o', 'k']) attempt.tell({ type: 'response.output_text.delta', delta, sequence_number: 99 });
  const status = text.startsWith('cut') ? 'incomplete' : 'completed';
  return responseOf(newId('resp'), [said(newId('msg'), `${text}!`)], { status, usage: { total_tokens: 2 } });
}

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    let here: Process;
    /** Takes no work by itself, and hears no message of `here`. */
    let there: Process;
    beforeAll(async () => {
      open = await engine.open();
      here = await openProcess(open, engine, (_, body, attempt) => model(body, attempt));
      there = await openProcess(open, engine, (_, body, attempt) => model(body, attempt));
      await here.start();
    });
    afterAll(async () => {
      await here.close();
      await there.close();
      await open.drop();
    });

    const queue = async (text: string, named = {}): Promise<string> => {
      const id = newId('resp');
      await here.kept.keeper.enqueue(ada, queuedOf(id, text, named));
      return id;
    };
    const row = async (id: string) => (await readResponse(open.db, id))!;
    const ended = async (id: string) => {
      await until(`${id} has ended`, async () => (await row(id)).ended_at !== null);
      return row(id);
    };
    const running = (id: string) => until(`${id} runs`, () => begun.some((attempt) => attempt.id === id));
    const refusal = (asked: Promise<unknown>): Promise<AppError> => asked.then(String, (error) => error);
    const follow = async (id: string, after = -1, by = there): Promise<Item[]> => {
      let text = '';
      const { signal } = new AbortController();
      await followResponse(by.kept.deps, { id, after, include: [] }, signal, (bytes) => {
        text += bytes;
      });
      return text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice(6)));
    };

    test('is queued, processed and stored under its own id, and can be continued', async () => {
      const conversation = await here.kept.conversations.create(ada, { items: [], metadata: {} });
      const id = await queue('tea', { conversationId: conversation.id });
      const found = await ended(id);
      expect(found).toMatchObject({ status: 'completed', background: 1, request: null, items: 2, epoch: 1 });
      expect(JSON.parse(found.response)).toMatchObject({ id, background: true, usage: { total_tokens: 2 } });
      expect(textsOf(await there.kept.keeper.before(ada, { previousResponseId: id }))).toEqual(['tea', 'tea!']);
      const inConversation = await there.kept.keeper.before(ada, { conversationId: conversation.id });
      expect(textsOf(inConversation)).toEqual(['tea', 'tea!']);
    });

    test('has the final status of its answer', async () => {
      expect((await ended(await queue('cut off'))).status).toBe('incomplete');
      const refused = await ended(await queue('refuse'));
      expect(refused.status).toBe('failed');
      expect(JSON.parse(refused.response).error).toEqual({ code: 'rate_limit_exceeded', message: 'Slow down.' });
      const withoutModel = await ended(await queue('lost model'));
      expect(JSON.parse(withoutModel.response).error).toEqual({ code: 'model_not_found', message: 'Gone.' });
      const withoutMoney = await ended(await queue('lost money'));
      expect(JSON.parse(withoutMoney.response).error).toEqual({ code: 'insufficient_user_quota', message: 'Spent.' });
      const broken = await ended(await queue('break'));
      expect(JSON.parse(broken.response).error).toMatchObject({ code: 'server_error' });
      expect(broken.response).not.toContain('secret');
    });

    test('is cancelled by another process without a message between them', async () => {
      const id = await queue('wait');
      await running(id);
      const inner = { work: id, call: 'chat:1', request_id: 'r', user_id: 1, created_at: 0, body: '{}' };
      await keepAnswer(here.kept.deps.db, inner);
      const early = there.kept.keeper.before(ada, { previousResponseId: id });
      expect(await refusal(early)).toMatchObject({ status: 409 });
      expect((await cancelResponse(there.kept.deps, ada, id)).status).toBe('cancelled');
      const attempt = begun.find((one) => one.id === id)!;
      const kept = () => findKept(here.kept.deps.db, inner);
      expect(await kept()).toBeNull();
      // What is paid for until the work has heard of it goes as well.
      await keepAnswer(here.kept.deps.db, inner);
      await until('the call to the model ends', () => attempt.signal.aborted);
      await until('nothing is kept of it', async () => (await kept()) === null);
      // Again, and it is as it was.
      expect((await cancelResponse(here.kept.deps, ada, id)).status).toBe('cancelled');
      expect(await refusal(cancelResponse(here.kept.deps, { userId: 1, keyId: 12 }, id))).toMatchObject({
        status: 404,
      });
      const done = await queue('done');
      await ended(done);
      expect(await refusal(cancelResponse(here.kept.deps, ada, done))).toMatchObject({ status: 409 });
      expect((await row(id)).status).toBe('cancelled');
    });

    test('streams its events from any process, from the beginning or from a position', async () => {
      const id = await queue('tell');
      const all = await follow(id);
      const delta = 'response.output_text.delta';
      const types = ['response.created', 'response.queued', 'response.in_progress', delta, delta, 'response.completed'];
      expect(all.map((event) => event.type)).toEqual(types);
      expect(all.map((event) => event.sequence_number)).toEqual(types.map((_, i) => i));
      expect(all.at(-1)!.response).toMatchObject({ id, status: 'completed', output: [{ type: 'message' }] });
      expect(await follow(id, 3)).toEqual(all.slice(4));
      expect(await follow(id, 5)).toEqual([]);
      // A while after the end they are gone, and the response is not.
      here.clock.advance(2 * 3_600_000);
      await here.kept.sweep();
      expect(await open.db.selectFrom('kept_events').select('seq').where('response_id', '=', id).execute()).toEqual([]);
      expect((await row(id)).told).toBe(0);
    });

    test('lost work is found by the sweep; work that crashed several processes fails', async () => {
      const now = Math.floor(here.clock.nowMs() / 1000);
      const lost = async (epoch: number): Promise<string> => {
        const id = await queue('wait for the test');
        await running(id);
        // As a crash between two writes leaves it: a row that says it is to be worked on, and nobody who knows.
        await open.db.updateTable('kept_responses').set({ epoch: 9 }).where('id', '=', id).execute();
        await until('nobody works on it', async () => {
          const jobs = await open.db.selectFrom('jobs').select('id').where('key', '=', id).execute();
          return jobs.length === 0;
        });
        await open.db
          .updateTable('kept_responses')
          .set({ status: 'queued', epoch, touched_at: now - 500, request: JSON.stringify({ input: 'found' }) })
          .where('id', '=', id)
          .execute();
        return id;
      };
      const [found, handedOver, endless, deadly] = (await Promise.all([0, 9, 50, 3].map(lost))) as [
        string,
        string,
        string,
        string,
      ];
      const died = { queue: 'responses', key: deadly, data: JSON.stringify({ id: deadly }), attempt: 3 };
      await open.db
        .insertInto('jobs')
        .values({ ...died, state: 'waiting', max_attempts: 50, backoff_ms: 1, due_at_ms: 0, created_at_ms: 0 })
        .execute();
      await here.kept.sweep();
      for (const id of [found, handedOver]) expect((await ended(id)).status).toBe('completed');
      for (const hopeless of [endless, deadly]) {
        const { status, response } = await ended(hopeless);
        expect([status, JSON.parse(response).error.message]).toEqual([
          'failed',
          expect.stringContaining('Send the request again'),
        ]);
        expect(begun.filter(({ id }) => id === hopeless)).toHaveLength(1);
      }
    });

    test('is retried while the database is unavailable, however often', async () => {
      const id = await queue('away');
      expect(await ended(id)).toMatchObject({ status: 'completed', epoch: 6 });
    });

    test('a former worker’s late answer changes nothing', async () => {
      const id = await queue('stubborn');
      await running(id);
      const attempt = begun.find((one) => one.id === id)!;
      const taken = (await beginWork(open.db, id, 1_700_000_000))!;
      expect(taken.epoch).toBe(2);
      await until('the former one is told', () => attempt.signal.aborted);
      stubborn.get(id)!();
      await until('its job is over', async () => {
        const jobs = await open.db.selectFrom('jobs').select('id').where('key', '=', id).execute();
        return jobs.length === 0;
      });
      expect(await row(id)).toMatchObject({ status: 'in_progress', epoch: 2, ended_at: null, items: 1, last_seq: 2 });
      await cancelResponse(here.kept.deps, ada, id);
    });

    test('deleting the user ends its call', async () => {
      const eve = { userId: 5, keyId: 1 };
      const id = newId('resp');
      await here.kept.keeper.enqueue(eve, queuedOf(id, 'wait'));
      await running(id);
      await here.kept.forgetUser(5);
      await until('its call ends', () => begun.find((one) => one.id === id)!.signal.aborted);
      expect(await readResponse(open.db, id)).toBeNull();
    });

    test('one user’s queue does not delay responses of other users', async () => {
      const eve = { userId: 7, keyId: 1 };
      const many = Array.from({ length: limits.running }, () => queuedOf(newId('resp'), 'wait'));
      for (const one of many) await here.kept.keeper.enqueue(eve, one);
      const first = many.slice(0, limits.runningHere).map(({ response }) => response.id);
      for (const id of first) await running(id);
      expect((await ended(await queue('tea'))).status).toBe('completed');
      // What waits goes on as soon as there is a place.
      await cancelResponse(here.kept.deps, eve, first[0]!);
      const others = new Set(many.slice(limits.runningHere).map(({ response }) => response.id));
      await until('the next one runs', () => begun.some(({ id }) => others.has(id)));
      await here.kept.forgetUser(7);
    });

    test('the queue per user is limited, also for concurrent requests, and nothing is queued if storage is off', async () => {
      const eve = { userId: 6, keyId: 1 };
      const rows = Array.from({ length: limits.running }, (_, i) => ({
        ...{ id: `waits-${i}`, user_id: 6, key_id: 1, status: 'queued', model: 'm', background: 1, response: '{}' },
        ...{ items: 0, bytes: 0, created_at: 0, touched_at: Math.floor(here.clock.nowMs() / 1000) },
      }));
      await open.db.insertInto('kept_responses').values(rows).execute();
      const full = here.kept.keeper.enqueue(eve, queuedOf(newId('resp'), 'one more'));
      expect(await refusal(full)).toMatchObject({ status: 429 });
      await here.kept.forgetUser(6);
      const some = Array.from({ length: 2 * limits.running }, () => queuedOf(newId('resp'), 'wait'));
      await Promise.allSettled(some.map((one, i) => [here, there][i % 2]!.kept.keeper.enqueue(eve, one)));
      expect((await runningOf(open.db, 6)).length).toBeLessThanOrEqual(limits.running);
      await here.kept.forgetUser(6);
      here.days.kept = 0;
      const unkept = here.kept.keeper.enqueue(ada, queuedOf(newId('resp'), 'x'));
      expect(await refusal(unkept)).toMatchObject({ status: 400, extras: { param: 'background' } });
      here.days.kept = 30;
    });
  });
