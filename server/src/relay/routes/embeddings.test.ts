import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { costOf } from '../../lib/money.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import {
  addUpstream,
  resettingUpstream,
  type ScriptedUpstream,
  scriptedUpstream,
  stall,
} from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import { toBase64, toFloats } from '../wire/embeddings.ts';

const vector = [0.5, -0.25, 1];
const embeddings = (count: number, embedding: unknown = vector): Json[] =>
  Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding }));
const answerOf =
  (count: number, usage: Json | null = { prompt_tokens: 7, total_tokens: 7 }) =>
  () =>
    Response.json({ object: 'list', model: 'upstream-name', data: embeddings(count), ...(usage && { usage }) });

let relay: RelayTest;
let first: ScriptedUpstream;
let second: ScriptedUpstream;
const price = { promptPrice: 0.02, completionPrice: 0, requestPrice: 0 };

beforeAll(async () => {
  relay = await openRelayTest();
  first = scriptedUpstream();
  second = scriptedUpstream();
  const model = { model_id: 'acme/embed', type: 'embedding', model_name: 'upstream-name', prompt_price: 0.02 };
  await addUpstream(relay.test, first.url, [model], { provider: 'one', priority: 9 });
  await addUpstream(relay.test, second.url, [model], { provider: 'two' });
  await addUpstream(relay.test, first.url, [{ model_id: 'acme/one', type: 'embedding', prompt_price: 0.02 }]);
  await addUpstream(relay.test, first.url, [{ model_id: 'acme/free', type: 'embedding' }]);
});
afterAll(async () => {
  await relay.close();
  await Promise.all([first.close(), second.close()]);
});
afterEach(() => {
  first.seen.length = 0;
  second.seen.length = 0;
});

const order = { provider: { order: ['one', 'two'] } };
const embed = (body: Json, signal?: AbortSignal) =>
  relay.post('/v1/embeddings', { model: 'acme/one', input: 'x', ...body }, signal ? { signal } : {});

describe('requests and responses', () => {
  test('a response has the upstream’s id, or one of ours', async () => {
    first.answer(answerOf(1));
    const answer = async () =>
      (await (await relay.post('/v1/embeddings', { model: 'acme/free', input: 'tea' })).json()) as Json;
    expect(await answer()).toMatchObject({ id: expect.stringMatching(/^embd-\w+$/) });
    first.answer(() => Response.json({ id: 'embd-theirs', object: 'list', data: embeddings(1) }));
    expect(await answer()).toMatchObject({ id: 'embd-theirs' });
  });

  test('both encodings are converted, and our own fields are not sent upstream', async () => {
    for (const upstream of [vector, toBase64(vector)]) {
      first.answer(() =>
        Response.json({ data: embeddings(1, upstream), usage: { prompt_tokens: 1, total_tokens: 1 } }),
      );
      const floats = (await (await embed({ model: 'acme/free' })).json()) as { data: { embedding: number[] }[] };
      expect(floats.data[0]!.embedding).toEqual(vector);
      const body = { model: 'acme/free', encoding_format: 'base64', dimensions: 3, custom: { a: 1 }, svc_ms: {} };
      const text = (await (await embed({ ...body, ...order })).json()) as { data: { embedding: string }[] };
      expect(toFloats(text.data[0]!.embedding)).toEqual(vector);
      const sent = first.seen.at(-1)!;
      expect(sent.body).toEqual({
        model: 'acme/free',
        input: 'x',
        encoding_format: 'base64',
        dimensions: 3,
        custom: { a: 1 },
      });
      expect(sent.headers.get('authorization')).toBe('Bearer up-secret-credential');
    }
  });

  test('token IDs are forwarded, and the response has the public model name', async () => {
    first.answer(answerOf(2));
    const answer = await embed({
      model: 'acme/embed',
      input: [[1, 2], [3]],
      ...order,
      ...{ provider: { only: ['one'] } },
    });
    // No balance yet: the model has a price.
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      error: { type: 'insufficient_quota', code: 'insufficient_user_quota' },
    });
    await relay.credit(1_000_000);
    const paid = (await (
      await embed({ model: 'acme/embed', input: [[1, 2], [3]], provider: { only: ['one'] } })
    ).json()) as Json;
    expect(paid.model).toBe('acme/embed');
    expect((first.seen.at(-1)!.body as Json).model).toBe('upstream-name');
  });

  test('compressed responses are decoded, and their encoding headers removed', async () => {
    first.answer(() => {
      const body = Bun.gzipSync(JSON.stringify({ data: embeddings(1), usage: { prompt_tokens: 1, total_tokens: 1 } }));
      return new Response(body, { headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' } });
    });
    const answer = await embed({ model: 'acme/free' });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(((await answer.json()) as Json).object).toBe('list');
  });
});

describe('charging', () => {
  test('charges exactly what the upstream counted, and logs it', async () => {
    const before = await relay.money();
    first.answer(answerOf(1, { prompt_tokens: 123_457, total_tokens: 123_457 }));
    const answer = await embed({ input: 'tea '.repeat(40_000) });
    const cost = costOf(price, { promptTokens: 123_457, completionTokens: 0, units: 1 });
    expect(answer.headers.get('x-svc-cost')).toBe(`${cost}`);
    const after = await relay.money();
    expect([before.quota - after.quota, after.used_quota - before.used_quota]).toEqual([cost, cost]);
    expect(await relay.usageOf(answer)).toMatchObject({
      model: 'acme/one',
      endpoint: '/v1/embeddings',
      quota: cost,
      prompt_tokens: 123_457,
    });
  });

  test('counts tokens here if the upstream does not', async () => {
    first.answer(answerOf(2, null));
    const answer = (await (await embed({ input: ['hello world', 'hello world'] })).json()) as { usage: Json };
    expect(answer.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
  });

  test('failures cost nothing', async () => {
    const before = await relay.money();
    first.answer(() => Response.json({ error: { message: 'down' } }, { status: 500 }));
    expect((await embed({})).status).toBe(502);
    expect((await relay.money()).quota).toBe(before.quota);
  });
});

describe('fallback to the next candidate', () => {
  const failures: [string, () => Response][] = [
    ['500', () => new Response('oops', { status: 500 })],
    ['429', () => Response.json({ error: { message: 'slow down' } }, { status: 429 })],
    ['401 for our credential', () => Response.json({ error: { message: 'bad key' } }, { status: 401 })],
    ['a body that is not JSON', () => new Response('<html>')],
    ['an error with status 200', () => Response.json({ error: { message: 'broken', code: 500 } })],
    ['too few embeddings', answerOf(0)],
  ];
  for (const [name, fail] of failures) {
    test(`after ${name}`, async () => {
      first.answer(fail);
      second.answer(answerOf(1));
      const answer = await embed({ model: 'acme/embed', ...order });
      expect([answer.status, answer.headers.get('x-svc-provider')]).toEqual([200, 'two']);
    });
  }

  test('after one input was embedded twice and another not at all', async () => {
    first.answer(() => Response.json({ data: [...embeddings(1), ...embeddings(1)] }));
    second.answer(answerOf(2));
    const model = { model_id: 'acme/pair', type: 'embedding' };
    await addUpstream(relay.test, first.url, [model], { provider: 'one' });
    await addUpstream(relay.test, second.url, [model], { provider: 'two' });
    const answer = await embed({ model: 'acme/pair', input: ['a', 'b'], ...order });
    expect([answer.status, answer.headers.get('x-svc-provider')]).toEqual([200, 'two']);
  });

  test('after a reset connection', async () => {
    const resetting = resettingUpstream();
    const model = { model_id: 'acme/reset', type: 'embedding' };
    await addUpstream(relay.test, resetting.url, [model], { provider: 'resetting' });
    await addUpstream(relay.test, second.url, [model], { provider: 'two' });
    second.answer(answerOf(1));
    const answer = await embed({ model: 'acme/reset', provider: { order: ['resetting', 'two'] } });
    expect([answer.status, answer.headers.get('x-svc-provider')]).toEqual([200, 'two']);
    resetting.close();
  });

  test('not for an error of the request, whose message is forwarded', async () => {
    first.answer(() =>
      Response.json(
        { error: { message: 'input too odd', param: 'input' } },
        { status: 400, headers: { 'x-should-retry': 'false' } },
      ),
    );
    // The circuit of `one` for the other model is open by now.
    await addUpstream(relay.test, second.url, [{ model_id: 'acme/one', type: 'embedding' }], { provider: 'two' });
    const answer = await embed({ provider: { order: ['openai', 'two'] } });
    expect([answer.status, second.seen.length, answer.headers.get('x-should-retry')]).toEqual([400, 0, 'false']);
    expect(await answer.json()).toMatchObject({ error: { message: 'input too odd', param: 'input' } });
  });

  test('when all are rate limited, the caller gets a Retry-After', async () => {
    const busy = () => Response.json({ error: { message: 'slow' } }, { status: 429, headers: { 'retry-after': '7' } });
    first.answer(busy);
    const answer = await embed({ provider: { only: ['openai'] } });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect(answer.headers.get('retry-after-ms')).toBe('7000');
    expect(await answer.json()).toMatchObject({ error: { code: 'capacity_exhausted' } });
  });
});

test('a client that disconnects ends the upstream call and pays nothing', async () => {
  // Somebody of whom nothing is still on its way into the books.
  const newcomer = await relay.test.user();
  const credits = { method: 'POST', body: { quota: 1_000_000 } };
  await (await relay.test.root()).call(`/api/admin/users/${newcomer.id}/credits`, credits);
  const authorization = `Bearer ${await newcomer.key()}`;
  const books = async () => (await newcomer.call('/api/user/self')).json();
  const before = await books();
  first.answer(stall);
  const leaving = new AbortController();
  const asked = first.next();
  const body = { model: 'acme/one', input: 'x', provider: { only: ['openai'] } };
  const answer = relay.post('/v1/embeddings', body, { signal: leaving.signal, headers: { authorization } });
  const seen = await asked;
  leaving.abort();
  await seen.aborted;
  expect((await answer).status).toBe(499);
  expect(await books()).toEqual(before);
});

test('returns 504 if the upstream does not respond in time', async () => {
  await addUpstream(relay.test, first.url, [{ model_id: 'acme/slow', type: 'embedding' }], { timeout_ms: 1_000 });
  first.answer(stall);
  const asked = first.next();
  const answer = await embed({ model: 'acme/slow' });
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ error: { type: 'upstream_error', code: 'timeout' } });
  await (await asked).aborted;
});
