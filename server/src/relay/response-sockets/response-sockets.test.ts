import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { MemoryBudget } from '../../platform/http/memory-budget.ts';
import { openLog } from '../../platform/log.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { listen, Talk } from '../realtime/realtime.fixture.ts';
import { openaiAnswers, wholeResponse } from '../responses-upstream.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream, stall } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import { ResponseSocket } from './socket.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

let aheadMs = 0;
const clock: Clock = { ...systemClock, steadyMs: () => systemClock.steadyMs() + aheadMs };
const model = 'x/turns';
let relay: RelayTest;
let upstream: ScriptedUpstream;
let server: ReturnType<typeof listen>;
let talks: Talk[] = [];

const usage = { prompt_tokens: 5, completion_tokens: 3 };
/** Says how many messages it was sent. */
const echo = ({ body }: { body: unknown }): Response => {
  const { messages } = body as Loose;
  const events = [
    ...[...`heard ${messages.length}`].map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
};

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' }, clock });
  await relay.credit(50_000_000);
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(echo);
  const models = [{ model_id: model, model_name: 'up', prompt_price: 1, completion_price: 2 }];
  await addUpstream(relay.test, upstream.url, models, { provider: 'deepseek' });
  const capabilities = { responses: true, tools_in_responses: true };
  const thinking = {
    model_id: 'x/thinks',
    model_name: 'gpt-6-sol',
    prompt_price: 1,
    completion_price: 2,
    capabilities,
  };
  await addUpstream(relay.test, upstream.url, [thinking], { provider: 'openai' });
  server = listen(relay.test);
});
const openSockets = async (): Promise<number> =>
  Number(/^svc_response_sockets (\d+)$/m.exec(await (await relay.test.call('/metrics')).text())?.[1]);
afterEach(async () => {
  for (const { socket } of talks) socket.close();
  talks = [];
  await until('all are closed', async () => (await openSockets()) === 0);
  upstream.answer(echo);
});
afterAll(async () => {
  await server.stop(true);
  await upstream.close();
  await relay.close();
});

const talkAs = async (key = relay.key, path = '/v1/responses'): Promise<Talk> => {
  const talk = new Talk(`ws://127.0.0.1:${server.port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  talks.push(talk);
  await until('it is open', () => talk.socket.readyState === WebSocket.OPEN || talk.ended !== undefined);
  return talk;
};
const create = (fields: Json): Json => ({ type: 'response.create', model, store: false, ...fields });
/** The response that ends the turn which these fields ask for. */
const turn = async (talk: Talk, fields: Json): Promise<Loose> => {
  const before = talk.events.filter(({ type }) => type === 'response.completed').length;
  talk.say(create(fields));
  return (await talk.told('response.completed', before + 1)).response;
};
const refusal = async (talk: Talk, event: Json | string | Uint8Array<ArrayBuffer>): Promise<Loose> => {
  const before = talk.events.filter(({ type }) => type === 'error').length;
  talk.say(event);
  return talk.told('error', before + 1);
};
const heard = (at = -1): string[] =>
  (upstream.seen.at(at)!.body as Loose).messages.map(({ role, content }: Loose) => `${role}: ${content}`);
const textOf = ({ output }: Loose): string => output.at(-1).content[0].text;

describe('responses over a WebSocket', () => {
  test('OpenAI’s client: each response continues the previous one, and none is stored', async () => {
    const client = new OpenAI({ apiKey: relay.key, baseURL: `http://127.0.0.1:${server.port}/v1` });
    const socket = new ResponsesWS(client);
    const first = { type: 'response.create' as const, model, store: false, input: 'one' };
    const texts: string[] = [];
    const deltas: string[] = [];
    socket.send(first);
    for await (const event of socket) {
      if (event.type === 'error') throw event.error;
      if (event.type !== 'message') continue;
      if (event.message.type === 'response.output_text.delta') deltas.push(event.message.delta);
      if (event.message.type !== 'response.completed') continue;
      const { id, output } = event.message.response;
      texts.push(textOf({ output }));
      if (texts.length === 3) break;
      socket.send({ ...first, input: [{ role: 'user', content: 'more' }], previous_response_id: id });
    }
    socket.close();
    expect(texts).toEqual(['heard 1', 'heard 3', 'heard 5']);
    expect(deltas.join('')).toBe(texts.join(''));
    expect(heard()).toEqual(['user: one', 'assistant: heard 1', 'user: more', 'assistant: heard 3', 'user: more']);
    const kept = await relay.test.platform.database.db.selectFrom('kept_responses').select('id').execute();
    expect(kept).toEqual([]);
  });

  test('each response is charged and names its previous response', async () => {
    const rows = (await relay.usage()).length;
    const talk = await talkAs();
    const first = await turn(talk, { input: 'one' });
    const second = await turn(talk, { input: 'two', previous_response_id: first.id });
    expect([first.previous_response_id, second.previous_response_id]).toEqual([null, first.id]);
    const told = talk.events.filter(({ response }) => (response as Loose)?.id === second.id) as Loose[];
    expect(told.length).toBeGreaterThan(2);
    for (const { response } of told) expect(response.previous_response_id).toBe(first.id);
    await until('both are in the log', async () => (await relay.usage()).length === rows + 2);
    expect((await relay.usage())[0]).toMatchObject({ endpoint: '/v1/responses', model, status: 'ok' });
  });

  test('stored responses are found, and unstored ones can continue them', async () => {
    const talk = await talkAs();
    const kept = await turn(talk, { input: 'one', store: true });
    const second = await turn(await talkAs(), { input: 'two', previous_response_id: kept.id });
    expect(textOf(second)).toBe('heard 3');
    const third = await turn(talks.at(-1)!, { input: 'three', previous_response_id: second.id, store: true });
    expect([textOf(third), third.previous_response_id]).toEqual(['heard 5', second.id]);
    const answer = await relay.get(`/v1/responses/${third.id}`);
    expect(answer.status).toBe(200);
    // Of another connection nothing is known that is not kept.
    const lost = await refusal(await talkAs(), create({ input: 'x', previous_response_id: second.id }));
    expect(lost).toMatchObject({
      ...{ status: 400, error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
    });
  });

  test('generate: false costs nothing and can be continued', async () => {
    const talk = await talkAs();
    const asked = upstream.seen.length;
    const warm = await turn(talk, { generate: false, instructions: 'Be brief.', input: 'one' });
    expect(warm).toMatchObject({ status: 'completed', output: [], model, instructions: 'Be brief.' });
    const empty = await turn(talk, { generate: false, input: [], previous_response_id: warm.id });
    expect(upstream.seen).toHaveLength(asked);
    const first = await turn(talk, { instructions: 'Be brief.', input: 'two', previous_response_id: empty.id });
    expect([textOf(first), heard()]).toEqual(['heard 3', ['system: Be brief.', 'user: one', 'user: two']]);
  });

  test.each([
    [true, ['message', 'reasoning', 'message', 'function_call', 'function_call_output']],
    [false, ['message', 'message', 'function_call', 'function_call_output']],
  ])(
    'an agent continues with only a tool result, and OpenAI accepts the input, with encrypted reasoning: %p',
    async (sealed, types) => {
      const [thought, ...rest] = wholeResponse().output as Loose[];
      const { encrypted_content: _, ...open } = thought;
      upstream.answer(openaiAnswers(wholeResponse({ output: [sealed ? thought : open, ...rest] })));
      const talk = await talkAs();
      const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false }];
      const shared = { model: 'x/thinks', tools, parallel_tool_calls: true, tool_choice: 'auto' };
      const { id, output } = await turn(talk, { ...shared, input: 'Weather?' });
      const { call_id } = output.at(-1);
      const input = [{ type: 'function_call_output', call_id, output: 'Sun.' }];
      const second = await turn(talk, { ...shared, input, previous_response_id: id });
      expect([second.status, second.previous_response_id]).toEqual(['completed', id]);
      expect((upstream.seen.at(-1)!.body as Loose).input.map(({ type }: Loose) => type)).toEqual(types);
    },
  );

  test('named streams run in parallel, each in order, and a conversation can continue in another stream', async () => {
    const talk = await talkAs();
    const first = await turn(talk, { input: 'one', stream_id: 'a' });
    const held = Promise.withResolvers<void>();
    upstream.answer(async (request) => {
      if (heard().at(-1) === 'user: slow') await held.promise;
      return echo(request);
    });
    const seen = upstream.seen.length;
    talk.say(create({ input: 'slow', stream_id: 'a', previous_response_id: first.id }));
    talk.say(create({ input: 'later', stream_id: 'a' }));
    await until('the slow one is asked', () => upstream.seen.length === seen + 1);
    const forked = await turn(talk, { input: 'quick', stream_id: 'b', previous_response_id: first.id });
    expect([textOf(forked), upstream.seen.length]).toEqual(['heard 3', seen + 2]);
    held.resolve();
    await talk.told('response.completed', 4);
    const ended = talk.events.filter(({ type }) => type === 'response.completed') as Loose[];
    expect(ended.map(({ stream_id, response }) => [stream_id, textOf(response)])).toEqual([
      ...[
        ['a', 'heard 1'],
        ['b', 'heard 3'],
        ['a', 'heard 3'],
        ['a', 'heard 1'],
      ],
    ]);
    expect(talk.events.every(({ stream_id }) => stream_id === 'a' || stream_id === 'b')).toBeTrue();
  });

  test.each([
    ['{', 'invalid_json'],
    ['7', 'invalid_json'],
    [new Uint8Array([1]), 'invalid_value'],
    [{ type: 'session.update' }, 'invalid_value'],
    [create({ input: 7 }), 'invalid_value'],
    [create({ input: 'x', stream_id: 7 }), 'invalid_stream_id'],
    [create({ input: 'x', stream_id: 'x'.repeat(65) }), 'invalid_stream_id'],
    [create({ input: 'x', model: 'x/none' }), 'model_not_found', 404],
    [create({ input: 'x', temperature: 9 }), 'invalid_value'],
    [create({ input: 'x', previous_response_id: 'resp_none' }), 'previous_response_not_found'],
  ] as [Json | string | Uint8Array<ArrayBuffer>, string, number?][])(
    'an invalid event is reported, and the connection stays open: %j',
    async (event, code, status = 400) => {
      const talk = await talkAs();
      const { id } = await turn(talk, { input: 'one' });
      expect(await refusal(talk, event)).toMatchObject({ status, error: { code } });
      expect(textOf(await turn(talk, { input: 'two', previous_response_id: id }))).toBe('heard 3');
    },
  );

  test('a response cannot be steered: this is told, and the response goes on', async () => {
    const talk = await talkAs();
    const { id } = await turn(talk, { input: 'one' });
    const steer = { input: 'Be brief.', previous_response_id: id };
    talk.say({ type: 'response.steer', ...steer });
    expect(await talk.told('response.steer.failed')).toMatchObject({
      steer,
      error: { code: 'steering_not_supported' },
    });
    expect(textOf(await turn(talk, { input: 'two', previous_response_id: id }))).toBe('heard 3');
  });

  test('a fault of the upstream ends the turn alone', async () => {
    const talk = await talkAs();
    upstream.answer(() => Response.json({ error: { message: 'Out.' } }, { status: 503 }));
    const told = await refusal(talk, create({ input: 'x', stream_id: 'a' }));
    expect([told.status >= 500, told.stream_id, told.error.message]).toEqual([true, 'a', expect.any(String)]);
    expect(told.headers['x-request-id']).toStartWith('req_');
  });

  test('a disconnecting client aborts the upstream call', async () => {
    const talk = await talkAs();
    upstream.answer(stall);
    const asked = upstream.next();
    talk.say(create({ input: 'x' }));
    const { aborted } = await asked;
    talk.socket.close();
    await aborted;
  });

  test('a deleted key can start no more responses', async () => {
    const key = await relay.member.key({ name: 'brief' });
    const talk = await talkAs(key);
    await turn(talk, { input: 'one' });
    const { data } = (await (await relay.member.call('/api/tokens')).json()) as {
      data: { id: number; name: string }[];
    };
    const { id } = data.find(({ name }) => name === 'brief')!;
    await relay.member.call(`/api/tokens/${id}`, { method: 'DELETE' });
    expect(await refusal(talk, create({ input: 'x' }))).toMatchObject({
      status: 401,
      error: { code: 'invalid_api_key' },
    });
  });

  test('rate limits count each response, by the address of the connection', async () => {
    const key = await relay.member.key({ name: 'near', allowed_ips: ['127.0.0.1'] });
    const talk = await talkAs(key);
    await relay.test.setOption('RateLimitEnabled', true);
    await relay.test.setOption('RateLimitV1', 2);
    try {
      await turn(talk, { input: 'one' });
      await turn(talk, { input: 'two' });
      const told = await refusal(talk, create({ input: 'three' }));
      expect(told).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    } finally {
      await relay.test.setOption('RateLimitEnabled', false);
    }
  });

  test('concurrent responses and streams per connection are limited', async () => {
    const talk = await talkAs();
    upstream.answer(stall);
    for (let i = 0; i < 16; i += 1) talk.say(create({ input: 'x' }));
    expect(await refusal(talk, create({ input: 'x' }))).toMatchObject({ status: 429 });
    const other = await talkAs();
    upstream.answer(echo);
    for (let i = 0; i < 32; i += 1) await turn(other, { generate: false, stream_id: `${i}` });
    expect(await refusal(other, create({ input: 'x', stream_id: 'more' }))).toMatchObject({
      ...{ status: 400, error: { code: 'websocket_stream_limit_reached' } },
    });
    await turn(other, { input: 'x', stream_id: '31' });
  });

  test('a connection ends after an hour', async () => {
    const talk = await talkAs();
    await turn(talk, { input: 'one' });
    aheadMs += 3_600_000;
    expect(await refusal(talk, create({ input: 'x' }))).toMatchObject({
      ...{ status: 400, error: { code: 'websocket_connection_limit_reached' } },
    });
    await talk.closed();
  });

  test('Azure’s path works, and a request without upgrade returns 426', async () => {
    const talk = await talkAs(relay.key, '/openai/v1/responses?api-version=preview');
    expect(textOf(await turn(talk, { input: 'one' }))).toBe('heard 1');
    const answer = await relay.get('/v1/responses');
    expect([answer.status, ((await answer.json()) as Loose).error.code]).toEqual([426, 'upgrade_required']);
    const wrong = await talkAs('sk-wrong');
    expect(wrong.ended).toBeDefined();
  });

  test('a long history is sent in full', async () => {
    const talk = await talkAs();
    const long = 'x'.repeat(900_000);
    const first = await turn(talk, { input: long });
    expect(textOf(await turn(talk, { input: 'short', previous_response_id: first.id }))).toBe('heard 3');
    expect((upstream.seen.at(-1)!.body as Loose).messages[0].content).toBe(long);
  });

  test('a slow client gets one event at a time', async () => {
    const events = ['response.created', 'response.output_text.delta', 'response.completed'];
    const answer = () => new Response(events.map((type) => `event: ${type}\ndata: {"type":"${type}"}\n\n`).join(''));
    const sent: string[] = [];
    const about = { clock, log: openLog('silent'), memoryBudget: new MemoryBudget(), caller: 'x', requestId: 'x' };
    const socket = new ResponseSocket({ ...about, ask: async () => answer(), ended: () => {} });
    const send = (text: string): number => {
      sent.push(JSON.parse(text).type);
      return -1;
    };
    // Of a server's socket no more is used here.
    socket.opened({ send, close: () => {} } as never);
    socket.received(JSON.stringify(create({ input: 'x' })));
    for (const [at, type] of events.entries()) {
      await until(`${type} is sent`, () => sent.length > at);
      await Bun.sleep(5);
      expect(sent).toEqual(events.slice(0, at + 1));
      socket.drained();
    }
    socket.closed();
  });

  test('what a client does not read counts in its memory budget, and ends its connection', async () => {
    const budget = new MemoryBudget();
    const about = { clock, log: openLog('silent'), memoryBudget: budget, caller: 'x', requestId: 'x' };
    const socket = new ResponseSocket({ ...about, ask: async () => new Response(), ended: () => {} });
    let [buffered, code] = [0, 0];
    const send = (text: string): number => {
      buffered += text.length;
      return -1;
    };
    const close = (given: number) => {
      code = given;
    };
    // Of a server's socket no more is used here.
    socket.opened({ send, close } as never);
    const mebibyte = 1024 * 1024;
    const steer = JSON.stringify({ type: 'response.steer', input: 'x'.repeat(10 * mebibyte) });
    for (let i = 0; i < 30 && code === 0; i += 1) {
      const before = buffered;
      socket.received(steer);
      await until('it is answered', () => buffered > before);
    }
    expect(code).toBe(1013);
    expect(buffered).toBeLessThan(150 * mebibyte);
    // All of it is given back.
    budget.take('x', 128 * mebibyte);
  });

  test('connections per user are limited', async () => {
    for (let i = 0; i < 50; i += 1) await talkAs();
    expect((await talkAs()).ended).toBeDefined();
    const [first] = talks;
    first!.socket.close();
    await until('one is gone', async () => (await openSockets()) === 49);
    await turn(await talkAs(), { generate: false });
  });

  test('on shutdown, running responses finish and no new ones start', async () => {
    const [idle, busy] = [await talkAs(), await talkAs()];
    const held = Promise.withResolvers<void>();
    upstream.answer(async (request) => {
      await held.promise;
      return echo(request);
    });
    const asked = upstream.next();
    busy.say(create({ input: 'one' }));
    await asked;
    relay.test.app.drain();
    expect((await idle.closed()).code).toBe(1001);
    expect(busy.ended).toBeUndefined();
    expect((await talkAs()).ended).toBeDefined();
    held.resolve();
    expect(textOf((await busy.told('response.completed')).response)).toBe('heard 1');
    expect((await busy.closed()).code).toBe(1001);
  });
});
