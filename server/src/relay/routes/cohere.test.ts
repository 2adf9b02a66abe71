import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream, breakAfter, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as clients and upstreams read them, field by field
type Loose = any;

let relay: RelayTest;
let upstream: ScriptedUpstream;
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const counted = {
  billed_units: { input_tokens: 7, output_tokens: 3 },
  tokens: { input_tokens: 7, output_tokens: 3 },
};
const head = { id: 'chatcmpl-up', created: 1, model: 'up' };
const event = (json: unknown) => `data: ${JSON.stringify(json)}\n\n`;
const calls = [
  { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
];

/** Calls what it was offered, else answers with what it was asked last. */
const answerOf = (body: Loose): Response => {
  const asked = body.messages.at(-1);
  const offered = body.tools && asked.role !== 'tool';
  const content = offered ? 'I look.' : `re: ${asked.content}`;
  const finish_reason = offered ? 'tool_calls' : 'stop';
  if (!body.stream)
    return Response.json({
      ...{ ...head, object: 'chat.completion', usage },
      choices: [
        { index: 0, finish_reason, message: { role: 'assistant', content, ...(offered && { tool_calls: calls }) } },
      ],
    });
  const chunk = (delta: unknown, end: string | null = null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: end }] });
  const pieces = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'hm' }),
    ...[...content].map((piece) => chunk({ content: piece })),
    ...(offered ? calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })) : []),
    chunk({}, finish_reason),
    ...(asked.content === 'uncounted' ? [] : [event({ ...head, choices: [], usage })]),
  ];
  return new Response(`${pieces.join('')}data: [DONE]\n\n`);
};

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(1_000_000_000);
  upstream = scriptedUpstream(({ body }) => answerOf(body));
  await addUpstream(relay.test, upstream.url, [{ model_id: 'c/talk', prompt_price: 1, completion_price: 1 }]);
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const ask = (body: unknown, key = relay.key): Promise<Response> =>
  relay.test.app.fetch(
    new Request(`${relay.test.config.baseUrl}/v2/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  ) as Promise<Response>;
const hello = { model: 'c/talk', messages: [{ role: 'user', content: 'hello' }] };
const lastAsked = () => upstream.seen.at(-1)!.body as Loose;
const rows = async () => (await relay.usage()).filter(({ endpoint }) => endpoint === '/v2/chat');

/** What this does leaves one row, and no more. */
async function billed<T>(work: () => Promise<T>): Promise<T> {
  const before = (await rows()).length;
  const done = await work();
  await until('the request is in the usage log', async () => (await rows()).length > before);
  expect((await rows()).length).toBe(before + 1);
  return done;
}

async function events(body: unknown): Promise<Loose[]> {
  const text = await (await ask(body)).text();
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  expect(frames.pop()).toBe('data: [DONE]');
  return frames.map((frame) => {
    const [, type, json] = /^event: (.+)\ndata: (.+)$/.exec(frame)!;
    expect(JSON.parse(json!).type).toBe(type);
    return JSON.parse(json!);
  });
}

const tools = [
  { type: 'function', function: { name: 'weather', description: 'Weather', parameters: { type: 'object' } } },
];

describe('Cohere’s chat', () => {
  test('answers with text and forwards the parameters', async () => {
    const body = {
      ...hello,
      messages: [{ role: 'system', content: 'Be kind.' }, ...hello.messages],
      ...{ max_tokens: 9, temperature: 0.3, p: 0.5, k: 7, seed: 1, stop_sequences: ['.'], safety_mode: 'STRICT' },
      response_format: { type: 'json_object', json_schema: { type: 'object' } },
    };
    const answer = await billed(() => ask(body));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      id: expect.any(String),
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 're: hello' }] },
      usage: counted,
    });
    expect(lastAsked()).toMatchObject({
      messages: body.messages,
      ...{ temperature: 0.3, top_p: 0.5, seed: 1, stop: ['.'] },
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    });
    for (const name of ['p', 'k', 'stop_sequences', 'safety_mode']) expect(lastAsked()).not.toHaveProperty(name);
  });

  test('tool calls and their results', async () => {
    const asked = { ...hello, tools, tool_choice: 'REQUIRED', strict_tools: true };
    const { message, finish_reason } = (await (await billed(() => ask(asked))).json()) as Loose;
    expect(finish_reason).toBe('TOOL_CALL');
    expect(message).toEqual({ role: 'assistant', tool_plan: 'I look.', tool_calls: calls });
    expect(lastAsked().tool_choice).toBe('required');
    expect(lastAsked().tools[0].function).toEqual({ ...tools[0]!.function, strict: true });
    const document = { type: 'document', document: { id: 'd1', data: { sky: 'clear' } } };
    const results = [
      { role: 'tool', tool_call_id: 'call_1', content: [document] },
      { role: 'tool', tool_call_id: 'call_2', content: 'rain' },
    ];
    const thought = { ...message, content: [{ type: 'thinking', thinking: 'hm' }] };
    const messages = [...hello.messages, thought, ...results];
    const after = (await (await ask({ ...hello, tools, messages })).json()) as Loose;
    expect(after.message.content).toEqual([{ type: 'text', text: 're: rain' }]);
    const [, said, first, second] = lastAsked().messages;
    expect(said).toEqual({ role: 'assistant', content: 'I look.', tool_calls: calls });
    expect(JSON.stringify(first.content)).toContain('d1: {\\"sky\\":\\"clear\\"}');
    expect(second).toMatchObject({ role: 'tool', tool_call_id: 'call_2', content: 'rain' });
  });

  test('documents are placed before the question', async () => {
    await ask({ ...hello, documents: ['tea is green', { id: 'two', data: { text: 'or black' } }] });
    const [system] = lastAsked().messages;
    expect(system.role).toBe('system');
    expect(system.content).toContain('tea is green\n\ntwo: {"text":"or black"}');
  });

  test('streamed: blocks in order, and usage at the end', async () => {
    const all = await billed(() => events({ ...hello, stream: true }));
    const types = all.map(({ type }) => type).filter((type, i, list) => type !== list[i - 1]);
    const block = ['content-start', 'content-delta', 'content-end'];
    expect(types).toEqual(['message-start', ...block, ...block, 'message-end']);
    expect(all[1]).toEqual({
      ...{ type: 'content-start', index: 0 },
      delta: { message: { content: { type: 'thinking', thinking: '' } } },
    });
    const text = all.map((one) => one.delta?.message?.content?.text ?? '').join('');
    expect(text).toBe('re: hello');
    expect(all.at(-1)).toEqual({
      ...{ type: 'message-end', id: all[0].id },
      delta: { finish_reason: 'COMPLETE', usage: counted },
    });
  });

  test('streamed: missing usage is counted here', async () => {
    const messages = [{ role: 'user', content: 'uncounted' }];
    const all = await billed(() => events({ ...hello, messages, stream: true }));
    expect(all.at(-1).delta.usage.tokens.output_tokens).toBeGreaterThan(0);
    expect(all.filter(({ type }) => type === 'message-end')).toHaveLength(1);
  });

  test('streamed tool calls', async () => {
    const all = await billed(() => events({ ...hello, tools, stream: true }));
    const made = all.filter(({ type }) => type.startsWith('tool-call'));
    const args = (index: number) =>
      made
        .filter((one) => one.type === 'tool-call-delta' && one.index === index)
        .map((one) => one.delta.message.tool_calls.function.arguments)
        .join('');
    expect([args(0), args(1)]).toEqual(calls.map((call) => call.function.arguments));
    expect(made[0].delta.message.tool_calls).toEqual({
      ...{ id: 'call_1', type: 'function' },
      function: { name: 'weather', arguments: '' },
    });
    expect(all.at(-1).delta.finish_reason).toBe('TOOL_CALL');
  });

  // Clients such as Vercel's keep one open call: another start before its end would replace it.
  test('streamed tool calls follow each other, whatever the order of their pieces', async () => {
    const chunk = (delta: unknown, end: string | null = null) =>
      event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: end }] });
    const started = (index: number) => ({
      ...{ index, id: calls[index]!.id, type: 'function' },
      function: { name: 'weather', arguments: '' },
    });
    const pieces = (index: number) =>
      [...calls[index]!.function.arguments].map((piece) => ({ index, function: { arguments: piece } }));
    const inTurn = pieces(0).flatMap((piece, i) => [piece, pieces(1)[i]]);
    const orders = [
      [started(0), ...pieces(0), started(1), ...pieces(1)],
      [started(0), started(1), ...pieces(0), ...pieces(1)],
      [started(0), started(1), ...pieces(1), ...pieces(0)],
      [started(0), started(1), ...inTurn],
    ];
    for (const order of orders) {
      const text = [
        ...order.map((call) => chunk({ tool_calls: [call] })),
        chunk({ content: 'Wait.' }),
        chunk({}, 'tool_calls'),
      ];
      upstream.answer(() => new Response(`${text.join('')}data: [DONE]\n\n`));
      const all = await events({ ...hello, tools, stream: true });
      const types = all.map(({ type, index }) => `${type} ${index}`).filter((one, i, list) => one !== list[i - 1]);
      const call = (index: number) => ['start', 'delta', 'end'].map((step) => `tool-call-${step} ${index}`);
      const block = ['content-start 0', 'content-delta 0', 'content-end 0'];
      expect(types).toEqual(['message-start undefined', ...call(0), ...call(1), ...block, 'message-end undefined']);
      const args = all.map((one) => one.delta?.message?.tool_calls?.function?.arguments ?? '').join('');
      expect(args).toBe(calls.map((one) => one.function.arguments).join(''));
    }
    upstream.answer(({ body }) => answerOf(body));
  });

  test('an interrupted stream ends with an error', async () => {
    const piece = event({ ...head, choices: [{ index: 0, delta: { content: 'half' }, finish_reason: null }] });
    upstream.answer(breakAfter([new TextEncoder().encode(piece)], { 'content-type': 'text/event-stream' }));
    const all = await events({ ...hello, stream: true });
    upstream.answer(({ body }) => answerOf(body));
    expect(all.map(({ type }) => type)).toEqual(['message-start', 'content-start', 'content-delta', 'message-end']);
    expect(all.at(-1).delta).toEqual({ finish_reason: 'ERROR', error: expect.any(String) });
  });

  test('an invalid request is rejected in Cohere’s error format, without an upstream call', async () => {
    const before = upstream.seen.length;
    const bad: [unknown, number][] = [
      ['{', 400],
      [{}, 400],
      [{ ...hello, messages: [] }, 400],
      [{ ...hello, messages: 'hello' }, 400],
      [{ ...hello, messages: [{ role: 'tool', content: 'x' }] }, 400],
      [{ ...hello, messages: [{ role: 'nobody', content: 'x' }] }, 400],
      [{ ...hello, p: 2 }, 400],
      [{ ...hello, k: -1 }, 400],
      [{ ...hello, tool_choice: 'auto' }, 400],
      [{ ...hello, tools: [{ type: 'web' }] }, 400],
      [{ ...hello, documents: [7] }, 400],
      [{ ...hello, thinking: 'much' }, 400],
      [{ ...hello, logprobs: true }, 400],
      [{ ...hello, model: 'c/nobody' }, 404],
    ];
    for (const [body, status] of bad) {
      const answer = await ask(body);
      expect([JSON.stringify(body), answer.status]).toEqual([JSON.stringify(body), status]);
      expect(await answer.json()).toEqual({ message: expect.any(String) });
    }
    const stranger = await ask(hello, 'sk-wrong');
    expect([stranger.status, await stranger.json()]).toEqual([401, { message: expect.any(String) }]);
    expect(upstream.seen.length).toBe(before);
  });

  test('works with the orchestration model', async () => {
    const { message } = (await (await ask({ ...hello, model: 'svc/svc-ms' })).json()) as Loose;
    expect(message.content[0].text).not.toBe('');
  });
});
