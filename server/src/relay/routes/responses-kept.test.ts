import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { catchUp } from '../../billing/store/filing.ts';
import { until } from '../../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { limits } from '../responses/limits.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream, stall } from '../scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

let relay: RelayTest;
let client: OpenAI;
/** The same user with another key, and another user. */
let others: OpenAI[];
let upstream: ScriptedUpstream;
const model = 'x/kept';
const clientOf = (apiKey: string) =>
  new OpenAI({
    apiKey,
    baseURL: `${relay.test.config.baseUrl}/v1`,
    maxRetries: 0,
    fetch: ((input: string, init?: RequestInit) => relay.test.app.fetch(new Request(input, init))) as typeof fetch,
  });

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.credit(50_000_000);
  client = clientOf(relay.key);
  const stranger = await relay.test.user();
  others = [clientOf(await relay.member.key()), clientOf(await stranger.key())];
  const root = await relay.test.root();
  await root.call(`/api/admin/users/${stranger.id}/credits`, { method: 'POST', body: { quota: 1_000_000 } });
  upstream = scriptedUpstream();
  await addUpstream(
    relay.test,
    upstream.url,
    [{ model_id: model, model_name: 'up', prompt_price: 1, completion_price: 2 }],
    { provider: 'deepseek' },
  );
  upstream.answer(echo);
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.test.platform.jobs.start();
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const sse = (...events: unknown[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');

const usage = { prompt_tokens: 5, completion_tokens: 3 };

/** Says how many messages it was sent, streamed or whole. */
const echo = ({ body }: { body: unknown }): Response => {
  const { messages, stream } = body as Loose;
  const text = `heard ${messages.length}`;
  if (!stream)
    return Response.json({
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
      usage,
    });
  return new Response(
    sse(
      ...[...text].map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
      '[DONE]',
    ),
    { headers: { 'content-type': 'text/event-stream' } },
  );
};
const lastMessages = (): Loose[] => (upstream.seen.at(-1)!.body as Loose).messages;
const fault = async (asked: PromiseLike<unknown>): Promise<APIError> => {
  const error = await Promise.resolve(asked).then(String, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
};

describe('previous responses', () => {
  test('form a chain in the database, streamed and whole', async () => {
    const first = await client.responses.stream({ model, input: 'one' }).finalResponse();
    const second = await client.responses
      .stream({ model, input: 'two', previous_response_id: first.id })
      .finalResponse();
    const third = await client.responses.create({ model, input: 'three', previous_response_id: second.id });
    expect(third.output_text).toBe('heard 5');
    expect(lastMessages().map(({ role, content }) => `${role}: ${content}`)).toEqual([
      ...['user: one', 'assistant: heard 1', 'user: two', 'assistant: heard 3', 'user: three'],
    ]);
    const read = await client.responses.retrieve(second.id);
    expect(read).toMatchObject({ output_text: 'heard 3', previous_response_id: first.id, usage: second.usage });
    const { data } = await client.responses.inputItems.list(second.id);
    expect(data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'two' }] }]);
  });

  test('of others give the same error as missing ones', async () => {
    const { id } = await client.responses.create({ model, input: 'one' });
    const asked = upstream.seen.length;
    const words = (error: APIError) => [error.status, error.code, error.param, error.type, error.message];
    const build = (one: OpenAI, name: string) =>
      fault(one.responses.create({ model, input: 'two', previous_response_id: name }));
    const missing = words(await build(client, 'resp_none'));
    expect(missing.slice(0, 3)).toEqual([400, 'previous_response_not_found', 'previous_response_id']);
    for (const other of others) {
      expect(words(await build(other, id))).toEqual(missing.with(4, `${missing[4]}`.replace('resp_none', id)));
      expect(words(await fault(other.responses.retrieve(id))).slice(0, 2)).toEqual([404, 'response_not_found']);
    }
    expect((await fault(client.responses.create({ model, input: 'x', conversation: 'conv_none' }))).status).toBe(404);
    expect(upstream.seen.length).toBe(asked);
  });

  test('can be compacted into an encrypted item, which is decrypted for the model', async () => {
    const input = [{ role: 'user' as const, content: 'I grow tea.' }];
    const { output } = await client.responses.compact({ model, input });
    const [sealed] = output.filter(({ type }) => type === 'compaction');
    const next = { role: 'user' as const, content: 'What do I grow?' };
    const first = await client.responses.create({ model, input: [sealed as Loose, next] });
    const heard = () => JSON.stringify(lastMessages());
    // What the model wrote as the summary.
    expect(heard()).toContain('heard 2');
    await client.responses.create({ model, input: 'and now?', previous_response_id: first.id });
    expect(heard()).toContain('heard 2');
    for (const other of others.slice(1)) {
      const refused = await fault(other.responses.create({ model, input: [sealed as Loose, next] }));
      expect(refused).toMatchObject({ status: 400, param: 'encrypted_content' });
    }
  });
});

describe('reasoning', () => {
  const thinking = () =>
    Response.json({
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Well.', reasoning_content: 'secret plan' },
        },
      ],
      usage,
    });
  const givenBack = async (one: OpenAI, item: object) => {
    const said = (role: string, content: string) => ({ role, content });
    const input = [said('user', 'hi'), item, said('assistant', 'Well.'), said('user', 'go on')] as Loose;
    await one.responses.create({ model, input, store: false });
    return JSON.stringify(lastMessages());
  };

  test('is encrypted for its user and decrypted for the model', async () => {
    upstream.answer(thinking);
    const { output } = await client.responses.create({ model, input: 'hi', store: false });
    const item = output.find(({ type }) => type === 'reasoning') as Loose;
    const sealed: string = item.encrypted_content;
    const clear = (text: string) =>
      text
        .split(/[.:]/)
        .map((part) => Buffer.from(part, 'base64url').toString())
        .join();
    expect(sealed).toMatch(/^svc\./);
    expect(clear(sealed)).not.toContain('secret plan');
    // The summary is for people: what goes back to the model is what was sealed.
    const bare = { ...item, summary: [] };
    expect(await givenBack(client, bare)).toContain('secret plan');
    // Whatever is not ours, or not theirs, is left out.
    expect(await givenBack(others[1]!, bare)).not.toContain('secret plan');
    for (const foreign of ['gAAAAABo', 'svc1.t:c2VjcmV0IHBsYW4', sealed.replace(/s1\.\w+/, 's1.00000000')])
      expect(await givenBack(client, { ...bare, encrypted_content: foreign })).not.toContain('secret plan');
    const at = sealed.length - 8;
    const other = sealed[at] === 'A' ? 'B' : 'A';
    for (const broken of [
      sealed.slice(0, -4),
      sealed.slice(0, at) + other + sealed.slice(at + 1),
      'svc.',
      'svc.s1.x.y.z',
    ])
      expect(await fault(givenBack(client, { ...bare, encrypted_content: broken }))).toMatchObject({
        status: 400,
        param: 'input[1].encrypted_content',
      });
    upstream.answer(echo);
  });

  test('of a chain is decrypted', async () => {
    upstream.answer(thinking);
    const { id } = await client.responses.create({ model, input: 'hi' });
    await client.responses.create({ model, input: 'go on', previous_response_id: id });
    expect(JSON.stringify(lastMessages())).toContain('secret plan');
    upstream.answer(echo);
  });
});

describe('storage', () => {
  test('limits are checked before the model is called, and not with `store: false`', async () => {
    const input = Array.from({ length: limits.broughtItems + 1 }, () => ({ role: 'user' as const, content: 'x' }));
    const asked = upstream.seen.length;
    const before = await relay.money();
    expect(await fault(client.responses.create({ model, input }))).toMatchObject({ status: 400, param: 'input' });
    expect(upstream.seen.length).toBe(asked);
    expect(await relay.money()).toEqual(before);
    expect((await client.responses.create({ model, input, store: false })).status).toBe('completed');
  });

  test('can be turned off by the operator, and the response says so', async () => {
    await relay.test.setOption('ResponsesKeptDays', 0);
    try {
      const response = await client.responses.create({ model, input: 'one' });
      expect(response).toMatchObject({ status: 'completed', store: false });
      const refused = await fault(client.responses.create({ model, input: 'one', background: true }));
      expect(refused).toMatchObject({ status: 400, param: 'background' });
    } finally {
      await relay.test.setOption('ResponsesKeptDays', 30);
    }
  });
});

describe('background responses', () => {
  const ended = async (id: string) => {
    await until(`${id} has ended`, async () => (await client.responses.retrieve(id)).status !== 'queued');
    await until(`${id} has ended`, async () => (await client.responses.retrieve(id)).status !== 'in_progress');
    return client.responses.retrieve(id);
  };
  /** Those of its calls, which are charged before the end is written. */
  const rowsOf = async (id: string) => {
    const { db } = relay.test.platform.database;
    const found = db.selectFrom('usage_logs').selectAll().where('parent_request_id', '=', id);
    const rows = async () => {
      await catchUp(db);
      return [...(await found.execute())];
    };
    await until('it is in the usage log', async () => (await rows()).length > 0);
    return rows();
  };

  test('the model is called like for any other response, and charged once', async () => {
    const first = await client.responses.create({ model, input: 'one' });
    const queued = await client.responses.create({
      ...{ model, input: 'two', previous_response_id: first.id, metadata: { a: 'b' } },
      background: true,
    });
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [] });
    const response = await ended(queued.id);
    expect(response).toMatchObject({
      ...{ id: queued.id, status: 'completed', background: true, output_text: 'heard 3', metadata: { a: 'b' } },
      usage: { input_tokens: 5, output_tokens: 3 },
    });
    expect(await rowsOf(queued.id)).toMatchObject([
      {
        ...{ request_id: `${queued.id}-1`, endpoint: '/v1/responses', model_id: model, status: 'ok' },
        ...{ prompt_tokens: 5, completion_tokens: 3 },
      },
    ]);
    const next = await client.responses.create({ model, input: 'three', previous_response_id: queued.id });
    expect(next.output_text).toBe('heard 5');
  });

  test('with `stream` events are sent as they are made, and can be read again', async () => {
    const events: Loose[] = [];
    for await (const event of await client.responses.create({ model, input: 'one', background: true, stream: true }))
      events.push(event);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual([
      ...['response.created', 'response.queued', 'response.in_progress', 'response.output_item.added'],
    ]);
    expect(types.at(-1)).toBe('response.completed');
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    const { id, output_text } = events.at(-1).response;
    expect(events.flatMap(({ delta }) => delta ?? []).join('')).toBe('heard 1');
    expect(output_text).toBeUndefined();
    const again: Loose[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 4 }))
      again.push(event);
    expect(again).toEqual(events.slice(5));
    const whole = await client.responses.stream({ response_id: id }).finalResponse();
    expect(whole).toMatchObject({ status: 'completed', output_text: 'heard 1' });
  });

  test.each(['as they are made', 'when they are read again'])(
    'events are not sent any more %s once the key is deleted, and the work goes on',
    async (when) => {
      const held = Promise.withResolvers<void>();
      upstream.answer(async (request) => held.promise.then(() => echo(request)));
      const key = await relay.member.key({ name: when });
      const own = clientOf(key);
      const coming = upstream.next();
      const asked = { model, input: 'one', background: true } as const;
      let events: AsyncIterable<Loose>;
      if (when === 'as they are made') events = await own.responses.create({ ...asked, stream: true });
      else events = await own.responses.retrieve((await own.responses.create(asked)).id, { stream: true });
      const { aborted } = await coming;
      upstream.answer(echo);
      const types: string[] = [];
      const read = (async () => {
        for await (const event of events) types.push(event.type);
      })();
      await until('it streams', () => types.length > 0);
      const { data } = (await (await relay.member.call('/api/tokens')).json()) as Loose;
      const [{ id }] = (data.items ?? data).filter(({ name }: Loose) => name === when);
      await relay.member.call(`/api/tokens/${id}`, { method: 'DELETE' });
      const ends = read.then(() => 'over');
      expect(await Promise.race([ends, Bun.sleep(20_000)])).toBe('over');
      expect(types).not.toContain('response.completed');
      expect(await Promise.race([aborted.then(() => 'stopped'), Bun.sleep(50)])).toBeUndefined();
      held.resolve();
    },
  );

  test('work with `svc/svc-ms`, whose calls are found by the response id', async () => {
    await relay.test.setOption('MsEasyModel', model);
    const { id } = await client.responses.create({
      ...{ model: 'svc/svc-ms', input: 'Say hello.', background: true },
      ...({ svc_ms: { force_model: model, remember: false } } as object),
    });
    const response = await ended(id);
    expect(response).toMatchObject({ id, status: 'completed', model: 'svc/svc-ms' });
    expect(response.output_text).toContain('heard');
    for (const row of await rowsOf(id)) expect(row).toMatchObject({ model_id: model, status: 'ok' });
  });

  test('cancelling ends the call to the model and costs nothing without output', async () => {
    upstream.answer(stall);
    const before = await relay.money();
    const coming = upstream.next();
    const { id } = await client.responses.create({ model, input: 'one', background: true });
    const { aborted } = await coming;
    expect((await client.responses.cancel(id)).status).toBe('cancelled');
    await aborted;
    upstream.answer(echo);
    await until('what was held is given back', async () => (await relay.money()).quota === before.quota);
    expect((await client.responses.retrieve(id)).status).toBe('cancelled');
  });

  test('a failure of the upstream is named as its cause', async () => {
    upstream.answer(() => Response.json({ error: { message: 'no' } }, { status: 500 }));
    const broken = await client.responses.create({ model, input: 'one', background: true });
    expect(await ended(broken.id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    upstream.answer(echo);
  });
});
