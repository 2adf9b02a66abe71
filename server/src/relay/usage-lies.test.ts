import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type Script, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;

const said = 'five words are in here';
const rich = 10_000_000;
/** One unit a token. */
const price = { prompt_price: 2, completion_price: 2 };
const messages = [{ role: 'user', content: 'hello there' }];
/** What our tokenizer makes of the answer; nothing believed is more than the limit and a thousand. */
const own = 5;
const limit = 100;

let relay: RelayTest;
let upstream: ScriptedUpstream;
let reported: unknown;
/** More of what a chat's usage says. */
let parts = {};

const event = (data: unknown, name?: string) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
const lies: Record<string, Script> = {
  chat: ({ body }) => {
    const choice = { index: 0, finish_reason: 'stop' };
    if (!(body as Loose).stream)
      return Response.json({
        id: 'c',
        choices: [{ ...choice, message: { role: 'assistant', content: said } }],
        usage: { prompt_tokens: reported, completion_tokens: reported, total_tokens: reported, ...parts },
      });
    const pieces = [
      { id: 'c', choices: [{ index: 0, delta: { content: said }, finish_reason: null }] },
      { id: 'c', choices: [{ ...choice, delta: {} }] },
      { id: 'c', choices: [], usage: { prompt_tokens: reported, completion_tokens: reported, ...parts } },
    ];
    return new Response(`${pieces.map((piece) => event(piece)).join('')}data: [DONE]\n\n`);
  },
  messages: ({ body }) => {
    const usage = { input_tokens: reported, output_tokens: reported };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'x' };
    if (!(body as Loose).stream)
      return Response.json({ ...message, content: [{ type: 'text', text: said }], stop_reason: 'end_turn', usage });
    const events = [
      { type: 'message_start', message: { ...message, content: [], usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ];
    return new Response(events.map((one) => event(one, one.type)).join(''));
  },
  gemini: ({ path }) => {
    const candidates = [{ content: { parts: [{ text: said }] }, finishReason: 'STOP' }];
    const whole = { candidates, usageMetadata: { promptTokenCount: reported, candidatesTokenCount: reported } };
    return path.includes('stream') ? new Response(event(whole)) : Response.json(whole);
  },
};

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream((request) => {
    const { path } = request;
    const format = path.includes('enerateContent') ? 'gemini' : path.endsWith('/messages') ? 'messages' : 'chat';
    return lies[format]!(request);
  });
  const kinds = { chat: 'openai', messages: 'anthropic', gemini: 'gemini' };
  for (const [format, kind] of Object.entries(kinds))
    await addUpstream(relay.test, upstream.url.replace('/v1', ''), [{ model_id: `lie/${format}`, ...price }], {
      kind,
      name: format,
    });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

async function cost(body: Loose): Promise<{ cost: number; status: number; text: string; row: Loose }> {
  await relay.credit(rich - (await relay.money()).quota).catch(() => {});
  const answer = await relay.post('/v1/chat/completions', {
    ...{ messages, max_tokens: limit, ...(body.stream && { stream_options: { include_usage: true } }) },
    ...body,
  });
  const text = await answer.text();
  const row: Loose = await relay.usageOf(answer);
  return { status: answer.status, text, cost: rich - (await relay.money()).quota, row };
}

/** The usage that a client reads; a stream tells it once. */
function shownIn(text: string, stream: boolean): unknown[] {
  const bodies: Loose[] = stream
    ? text.split('\n').flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []))
    : [JSON.parse(text)];
  return bodies.flatMap(({ usage }) =>
    usage ? [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens] : [],
  );
}

const implausible = [null, 0, -7, 1.5, 'many', '12', 1e308, Number.MAX_SAFE_INTEGER, 50_000, true, {}, [3]];

for (const format of ['chat', 'messages', 'gemini']) {
  for (const stream of [false, true]) {
    describe(`${format}, ${stream ? 'streamed' : 'whole'}`, () => {
      for (const value of implausible) {
        test(`reported usage ${JSON.stringify(value)} is ignored`, async () => {
          reported = value;
          const { status, cost: charged, text, row } = await cost({ model: `lie/${format}`, stream });
          expect(status).toBe(200);
          expect(text).toContain(said);
          expect(row.completion_tokens).toBe(own);
          expect(row.prompt_tokens).toBeGreaterThan(1);
          expect(row.prompt_tokens).toBeLessThan(30);
          expect(charged).toBe(row.prompt_tokens + own);
          expect(shownIn(text, stream)).toEqual([row.prompt_tokens, own, row.prompt_tokens + own]);
        });
      }

      test('plausible usage is charged as reported', async () => {
        reported = 77;
        expect((await cost({ model: `lie/${format}`, stream })).cost).toBe(154);
      });
    });
  }
}

describe('a forwarded Anthropic stream begins', () => {
  const begin = async (told: unknown) => {
    reported = told;
    await relay.credit(rich - (await relay.money()).quota).catch(() => {});
    const body = { model: 'lie/messages', messages, max_tokens: limit, stream: true };
    const headers = { 'anthropic-version': '2023-06-01' };
    const answer = await relay.post('/v1/messages', body, { headers });
    const events = (await answer.text())
      .split('\n')
      .flatMap((line) => (/^data: /.test(line) ? [JSON.parse(line.slice(6))] : []));
    const row: Loose = await relay.usageOf(answer);
    return {
      begun: events[0].message.usage.input_tokens,
      ended: events.find(({ type }) => type === 'message_delta').usage.input_tokens,
      charged: row.prompt_tokens,
    };
  };

  test.each(implausible.filter((value) => value !== 0).map((told) => [{ told }]))(
    'without %p, which is not charged',
    async ({ told }) => {
      const { begun, ended, charged } = await begin(told);
      expect(begun).toBeGreaterThan(1);
      expect(begun).toBeLessThan(30);
      expect(ended).toBe(charged);
    },
  );

  test('with the count that is charged', async () => {
    expect(await begin(77)).toEqual({ begun: 77, ended: 77, charged: 77 });
  });
});

test('parts that exceed their whole are neither charged nor shown', async () => {
  reported = 50;
  parts = { prompt_tokens_details: { cached_tokens: 5000 } };
  for (const stream of [false, true]) {
    const { cost: charged, text } = await cost({ model: 'lie/chat', stream });
    expect(charged).toBe(100);
    expect(shownIn(text, stream)).toEqual([50, 50, 100]);
    expect(text).not.toContain('5000');
  }
  parts = {};
});

describe('every client is shown what was charged', () => {
  const text = 'hello there';
  const asked: Record<string, (model: string, stream: boolean) => [path: string, body: object]> = {
    messages: (model, stream) => ['/v1/messages', { model, stream, messages, max_tokens: limit }],
    responses: (model, stream) => ['/v1/responses', { model, stream, input: text, max_output_tokens: limit }],
    completions: (model, stream) => [
      '/v1/completions',
      { model, stream, prompt: text, max_tokens: limit, stream_options: { include_usage: true } },
    ],
    cohere: (model, stream) => ['/v2/chat', { model, stream, messages, max_tokens: limit }],
    google: (model, stream) => [
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: { maxOutputTokens: limit } },
    ],
  };
  /** Names of the output's tokens, of which the last in an answer counts. */
  const counts = /"(?:output_tokens|completion_tokens|candidatesTokenCount)":([^,}]+)/g;
  const cases = Object.keys(asked).flatMap((client) =>
    ['chat', 'messages', 'gemini'].flatMap((format) =>
      [false, true].map((stream) => [client, format, stream] as const),
    ),
  );

  test.each(cases)('%s by %s, streamed: %j', async (client, format, stream) => {
    for (const value of [-7, 'many', 50_000, undefined]) {
      reported = value;
      await relay.credit(1_000);
      const [path, body] = asked[client]!(`lie/${format}`, stream);
      const answer = await relay.post(path, body);
      const told = await answer.text();
      expect(answer.status).toBe(200);
      const row = await relay.usageOf(answer);
      expect(row.completion_tokens).toBe(own);
      expect([value, [...told.matchAll(counts)].at(-1)?.[1]]).toEqual([value, `${own}`]);
    }
  });
});
