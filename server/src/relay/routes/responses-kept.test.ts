import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { APIError } from 'openai';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { limits } from '../responses/limits.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

let relay: RelayTest;
let client: OpenAI;
/** The same user with another key, and another user. */
let others: OpenAI[];
let upstream: ScriptedUpstream;
const model = 'x/kept';

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.credit(50_000_000);
  const clientOf = (apiKey: string) =>
    new OpenAI({
      apiKey,
      baseURL: `${relay.test.config.baseUrl}/v1`,
      maxRetries: 0,
      fetch: ((input: string, init?: RequestInit) => relay.test.app.fetch(new Request(input, init))) as typeof fetch,
    });
  client = clientOf(relay.key);
  others = [clientOf(await relay.member.key()), clientOf(await (await relay.test.user()).key())];
  upstream = scriptedUpstream();
  await addUpstream(relay.test, upstream.url, [
    { model_id: model, model_name: 'up', prompt_price: 1, completion_price: 2 },
  ]);
  upstream.answer(echo);
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

describe('what a response builds on', () => {
  test('is a chain, streamed and whole, through the database', async () => {
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

  test('is nobody else’s, in the words of what never was', async () => {
    const { id } = await client.responses.create({ model, input: 'one' });
    const asked = upstream.seen.length;
    const words = (error: APIError) => [error.status, error.code, error.param, error.type, error.message];
    const build = (one: OpenAI, name: string) =>
      fault(one.responses.create({ model, input: 'two', previous_response_id: name }));
    const missing = words(await build(client, 'resp_none'));
    expect(missing.slice(0, 3)).toEqual([404, 'response_not_found', 'previous_response_id']);
    for (const other of others) {
      expect(words(await build(other, id))).toEqual(missing.with(4, `${missing[4]}`.replace('resp_none', id)));
      expect(words(await fault(other.responses.retrieve(id))).slice(0, 2)).toEqual([404, 'response_not_found']);
    }
    expect((await fault(client.responses.create({ model, input: 'x', conversation: 'conv_none' }))).status).toBe(404);
    expect(upstream.seen.length).toBe(asked);
  });

  test('may be sealed in short, and is opened for the model', async () => {
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

describe('what is kept', () => {
  test('is bounded, which is said before a model is asked; `store: false` is not', async () => {
    const input = Array.from({ length: limits.broughtItems + 1 }, () => ({ role: 'user' as const, content: 'x' }));
    const asked = upstream.seen.length;
    const before = await relay.money();
    expect(await fault(client.responses.create({ model, input }))).toMatchObject({ status: 400, param: 'input' });
    expect(upstream.seen.length).toBe(asked);
    expect(await relay.money()).toEqual(before);
    expect((await client.responses.create({ model, input, store: false })).status).toBe('completed');
  });

  test('is nothing where the operator says so, and the response tells', async () => {
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
