import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import {
  addUpstream,
  resettingUpstream,
  type Script,
  type ScriptedUpstream,
  scriptedUpstream,
  stall,
  stallAfter,
} from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const encoder = new TextEncoder();
const clock = manualClock(Date.now());
const chat = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'hi' }];

let house: TestApp;
let root: Member;
let key: string;
beforeAll(async () => {
  house = await openTestApp({ clock });
  root = await house.root();
  key = await root.key();
  await house.setOption('RateLimitEnabled', false);
});
afterAll(() => house.close());

const chunk = (delta: unknown, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };

const sound =
  (name: string): Script =>
  ({ body }) =>
    (body as Loose).stream
      ? new Response(`${chunk({ content: name })}${chunk({}, 'stop')}data: [DONE]\n\n`)
      : Response.json({
          id: 'c',
          choices: [{ index: 0, message: { role: 'assistant', content: name }, finish_reason: 'stop' }],
          usage,
        });
const status =
  (code: number): Script =>
  () =>
    Response.json({ error: { message: 'x' } }, { status: code });
const cut: Script = () => new Response(chunk({ content: 'half' }));

const ask = (model: string, provider: unknown, fields: Record<string, unknown> = {}) =>
  house.call(chat, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: { model, messages, provider, ...fields },
  });

async function circuits(model: string): Promise<Record<string, string>> {
  const answer = await root.call(`/api/routing/metrics?model_id=${encodeURIComponent(model)}`);
  const { data } = (await answer.json()) as Loose;
  return Object.fromEntries(data.metrics.map((item: Loose) => [item.provider, item.circuit_state]));
}

/** The answer, when this upstream is asked on the way to it and says nothing for longer than its channel allows. */
async function afterSilence<T>(pending: Promise<T>, upstream: ScriptedUpstream): Promise<T> {
  const before = upstream.seen.length;
  await until('it is asked', () => upstream.seen.length > before);
  clock.advance(5_500);
  return pending;
}

test('four upstreams with every kind of failure: circuits open, half open, close and open again', async () => {
  const names = ['one', 'two', 'three', 'four'] as const;
  const model = 'walk/model';
  const upstreams = Object.fromEntries(names.map((name) => [name, scriptedUpstream(sound(name))]));
  for (const name of names) {
    await addUpstream(house, upstreams[name]!.url, [{ model_id: model }], { provider: name, timeout_ms: 5_000 });
  }
  const order = { order: [...names] };
  const askPatiently = (provider: unknown) => afterSilence(ask(model, provider), upstreams.three!);
  const saidBy = async (answer: Promise<Response>) =>
    ((await (await answer).json()) as Loose).choices[0].message.content;
  expect(await saidBy(ask(model, order))).toBe('one');

  upstreams.one!.answer(status(500));
  upstreams.two!.answer(status(429));
  upstreams.three!.answer(stall);
  for (let i = 0; i < 5; i++) expect(await saidBy(askPatiently(order))).toBe('four');
  expect(await circuits(model)).toEqual({ one: 'open', two: 'closed', three: 'open', four: 'closed' });
  const seen = upstreams.one!.seen.length;
  expect(await saidBy(ask(model, order))).toBe('four');
  expect(upstreams.one!.seen.length).toBe(seen);

  for (let i = 0; i < 5; i++) {
    const text = await (await ask(model, { only: ['four'] }, { stream: i > 0 })).text();
    if (i === 0) expect(text).toContain('four');
    upstreams.four!.answer(cut);
  }
  expect((await circuits(model)).four).toBe('closed');
  const broken = await (await ask(model, { only: ['four'] }, { stream: true })).text();
  expect(broken).toContain('"finish_reason":"error"');
  expect((await circuits(model)).four).toBe('open');
  const busy = await ask(model, order);
  expect([busy.status, ((await busy.json()) as Loose).error.code]).toEqual([429, 'capacity_exhausted']);

  clock.advance(61_000);
  expect(await circuits(model)).toEqual({ one: 'half_open', two: 'closed', three: 'half_open', four: 'half_open' });
  upstreams.one!.answer(sound('one'));
  for (let i = 0; i < 2; i++) expect(await saidBy(ask(model, { only: ['one'] }))).toBe('one');
  expect((await circuits(model)).one).toBe('half_open');
  expect(await saidBy(ask(model, { only: ['one'] }))).toBe('one');
  expect((await circuits(model)).one).toBe('closed');

  expect((await askPatiently({ only: ['three'] })).status).toBe(504);
  expect((await circuits(model)).three).toBe('open');
  // 429 and the request's own fault give their places back: more of them than there are places still get through.
  for (const code of [429, 400, 429, 400, 429]) {
    upstreams.four!.answer(status(code));
    expect((await ask(model, { only: ['four'] })).status).toBe(code);
  }
  expect((await circuits(model)).four).toBe('half_open');
  for (const name of names) await upstreams[name]!.close();
});

test('returns 502 after a reset connection and a malformed answer, and logs the reasons', async () => {
  const resetting = resettingUpstream();
  const garbled = scriptedUpstream(() => new Response('{"id":'));
  await addUpstream(house, resetting.url, [{ model_id: 'log/model' }], { provider: 'resetting' });
  await addUpstream(house, garbled.url, [{ model_id: 'log/model' }], { provider: 'garbled' });
  const answer = await ask('log/model', { order: ['resetting', 'garbled'] });
  expect(answer.status).toBe(502);
  const id = answer.headers.get('x-request-id');
  let decision: Loose;
  await until('the decision is in the log', async () => {
    const listed = (await (await root.call(`/api/routing/decisions?request_id=${id}`)).json()) as Loose;
    decision = listed.data.decisions[0];
    return decision !== undefined;
  });
  expect(decision.attempts.map((attempt: Loose) => [attempt.provider, attempt.cause])).toEqual([
    ['resetting', 'connection'],
    ['garbled', 'malformed'],
  ]);
  resetting.close();
  await garbled.close();
});

test('an answer is settled if the client disconnects before reading it', async () => {
  const endless: Script = () => {
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(chunk({ content: 'word ' }));
        await Bun.sleep(10);
      },
    });
    return new Response(body);
  };
  const upstream = scriptedUpstream(endless);
  await addUpstream(house, upstream.url, [{ model_id: 'left/model', prompt_price: 100, completion_price: 100 }]);
  const controller = new AbortController();
  const answer = await house.call(chat, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'left/model', messages, stream: true },
    signal: controller.signal,
  });
  expect(answer.status).toBe(200);
  const logs = async (): Promise<Loose[]> =>
    ((await (await root.call('/api/usage/logs?model=left/model')).json()) as Loose).data.logs;
  expect(await logs()).toEqual([]);
  controller.abort();
  await until('it is in the log', async () => (await logs()).length > 0);
  expect(await logs()).toMatchObject([{ status: 'aborted' }]);
  await upstream.seen[0]!.aborted;
  await upstream.close();
});

test('missing usage is counted, charged and returned', async () => {
  const { usage: _, ...uncounted } = { id: 'c', usage };
  const message = { role: 'assistant', content: 'five words are in here' };
  const upstream = scriptedUpstream(() =>
    Response.json({ ...uncounted, choices: [{ index: 0, message, finish_reason: 'stop' }] }),
  );
  await addUpstream(house, upstream.url, [{ model_id: 'count/model' }]);
  const answer = (await (await ask('count/model', undefined)).json()) as Loose;
  expect(answer.usage.completion_tokens).toBe(5);
  expect(answer.usage.total_tokens).toBe(answer.usage.prompt_tokens + 5);
  await upstream.close();
});

test('an idle stream gets a comment every 15 s and is cut off when the upstream stays silent', async () => {
  const upstream = scriptedUpstream(stallAfter([encoder.encode(chunk({ content: 'word' }))], {}));
  await addUpstream(house, upstream.url, [{ model_id: 'idle/model' }], { timeout_ms: 30_000 });
  const answer = await ask('idle/model', undefined, { stream: true });
  const told: string[] = [];
  const telling = (async () => {
    for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) told.push(text);
  })();
  await until('it has begun', () => told.length === 1);
  for (let seconds = 1; seconds <= 29; seconds += 1) {
    clock.advance(1_000);
    if (seconds === 16) await until('a comment came', () => told.length === 2);
  }
  clock.advance(1_500);
  await telling;
  expect(told.join('')).toMatch(/^data: .*word.*\n\n(: ping\n\n){2}data: .*"code":"timeout".*\n\n$/);
  await upstream.close();
});
