import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { AzureOpenAI } from 'openai';
import { openRelayTest, type RelayTest, sdkOptions } from '../endpoints/relay.fixture.ts';
import { addUpstream, breakAfter, type ScriptedUpstream, scriptedUpstream } from '../scripted-upstream.fixture.ts';

let relay: RelayTest;
let client: OpenAI;
const upstreams = {} as Record<Kind, ScriptedUpstream>;
const kinds = ['openai', 'anthropic', 'gemini'] as const;
type Kind = (typeof kinds)[number];
// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.credit(50_000_000);
  client = new OpenAI({ ...sdkOptions(relay), baseURL: `${relay.test.config.baseUrl}/v1` });
  for (const kind of kinds) {
    upstreams[kind] = scriptedUpstream();
    const model = { model_id: `x/${kind}`, model_name: 'gemini-3-up', prompt_price: 1, completion_price: 2 };
    await addUpstream(relay.test, upstreams[kind].url, [model], {
      name: kind,
      kind,
      // Wants its thoughts back as `reasoning_content`.
      ...(kind === 'openai' && { provider: 'deepseek' }),
    });
  }
});
afterAll(async () => {
  for (const upstream of Object.values(upstreams)) await upstream.close();
  await relay.close();
});

const sse = (...events: unknown[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const eventStream = { headers: { 'content-type': 'text/event-stream' } };

/** Thinks, says something and calls a tool, in each vendor's words. */
const replies: Record<Kind, { whole: unknown; stream: string }> = {
  openai: {
    whole: {
      id: 'c',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Well.',
            reasoning_content: 'hm',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    },
    stream: sse(
      { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
      { choices: [{ index: 0, delta: { reasoning_content: 'hm' } }] },
      { choices: [{ index: 0, delta: { content: 'Well.' } }] },
      {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '' } }] },
          },
        ],
      },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":"Rome"}' } }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } },
      '[DONE]',
    ),
  },
  anthropic: {
    whole: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'Sig+/==' },
        { type: 'text', text: 'Well.' },
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Rome' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 11, output_tokens: 7 },
    },
    stream: sse(
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 11, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'Sig+/==' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Well.' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"city":"Rome"}' } },
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ),
  },
  gemini: (() => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'Well.' },
      { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'GemSig' },
    ];
    const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7 };
    const body = (some: unknown[], end: object = {}) => ({
      candidates: [{ content: { role: 'model', parts: some }, ...end }],
    });
    return {
      whole: { ...body(parts, { finishReason: 'STOP' }), usageMetadata },
      stream: sse(...parts.map((part) => body([part])), { ...body([], { finishReason: 'STOP' }), usageMetadata }),
    };
  })(),
};

const tools = [
  {
    type: 'function' as const,
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: false,
  },
];
const asking = (kind: Kind) => ({ model: `x/${kind}`, input: 'Weather?', tools });

/** How each vendor must get its own thoughts back, with the result of the call. */
const cameBack: Record<Kind, (body: Loose) => void> = {
  openai: ({ messages }) => {
    expect(messages[1]).toMatchObject({ role: 'assistant', content: 'Well.', reasoning_content: 'hm' });
    expect(messages[1].tool_calls[0].function).toEqual({ name: 'weather', arguments: '{"city":"Rome"}' });
    expect(messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'call_1', content: 'sunny' });
  },
  anthropic: ({ messages }) => {
    expect(messages[1].content).toEqual((replies.anthropic.whole as Loose).content);
    expect(messages[2].content[0]).toMatchObject({ type: 'tool_result', tool_use_id: 'call_1' });
  },
  gemini: ({ contents }) => {
    expect(contents[1].parts).toEqual([
      { text: 'Well.' },
      { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'GemSig' },
    ]);
    expect(contents[2].parts[0].functionResponse.name).toBe('weather');
  },
};

describe.each(kinds)('with a %s upstream', (kind) => {
  const script = () =>
    upstreams[kind].answer(({ path, body }) =>
      (body as Loose).stream || path.includes('stream')
        ? new Response(replies[kind].stream, eventStream)
        : Response.json(replies[kind].whole),
    );

  test('whole: reasoning, text and a call, charged once', async () => {
    script();
    const { data, response } = await client.responses.create(asking(kind)).withResponse();
    expect(data.output.map(({ type }) => type).filter((type) => type !== 'reasoning')).toEqual([
      'message',
      'function_call',
    ]);
    expect(data.output[0]!.type).toBe('reasoning');
    expect(data).toMatchObject({ object: 'response', status: 'completed', output_text: 'Well.', store: true, tools });
    expect(data.usage).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 });
    expect(await relay.usageOf(response)).toMatchObject({
      endpoint: '/v1/responses',
      model: `x/${kind}`,
      prompt_tokens: 11,
      completion_tokens: 7,
      status: 'ok',
    });
    const rows = (await relay.usage()).filter(({ request_id }) => request_id === response.headers.get('x-request-id'));
    expect(rows).toHaveLength(1);
  });

  test('streamed to OpenAI’s client, and sent back statelessly', async () => {
    script();
    const stream = client.responses.stream(asking(kind));
    const types: string[] = [];
    let number = 0;
    for await (const event of stream) {
      expect(event.sequence_number).toBe(number++);
      types.push(event.type);
    }
    const final = await stream.finalResponse();
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
    expect(final).toMatchObject({
      status: 'completed',
      output_text: 'Well.',
      usage: { input_tokens: 11, output_tokens: 7 },
    });
    const call = final.output.find((item) => item.type === 'function_call')!;
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Rome' });
    const before = upstreams[kind].seen.length;
    await client.responses.create({
      ...asking(kind),
      input: [
        { role: 'user', content: 'Weather?' },
        ...(final.output as Loose[]),
        { type: 'function_call_output', call_id: call.call_id, output: 'sunny' },
      ],
    });
    cameBack[kind](upstreams[kind].seen[before]!.body);
  });
});

describe('failures', () => {
  test('an interrupted stream ends as failed, and what was received is charged', async () => {
    const piece = sse({ choices: [{ index: 0, delta: { content: 'half of it' } }] });
    upstreams.openai.answer(breakAfter([new TextEncoder().encode(piece)], eventStream.headers));
    const { data, response } = await client.responses.create({ ...asking('openai'), stream: true }).withResponse();
    const events: Loose[] = [];
    for await (const event of data) events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'provider_error' } },
    });
    expect(await relay.usageOf(response)).toMatchObject({ status: 'interrupted', endpoint: '/v1/responses' });
  });

  test('missing usage is counted here', async () => {
    const text = sse(
      { choices: [{ index: 0, delta: { content: 'fine words' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    );
    upstreams.openai.answer(() => new Response(text, eventStream));
    const final = await client.responses.stream(asking('openai')).finalResponse();
    expect(final.usage!.output_tokens).toBeGreaterThan(0);
    expect(final.usage!.total_tokens).toBe(final.usage!.input_tokens + final.usage!.output_tokens);
  });

  test.each([
    [{ background: true, store: false }, 'store'],
    [{ background: 'yes' }, 'background'],
    [{ tools: [{ type: 'web_search' }] }, 'tools'],
    [{ input: [{ type: 'dream' }] }, 'input'],
    [{ model: undefined }, 'model'],
  ])('%j is rejected in OpenAI’s format', async (fields, param) => {
    const asked = client.responses.create({ model: 'demo/chat', input: 'hi', ...fields } as Loose);
    expect(await asked.catch((error: unknown) => error)).toMatchObject({
      status: 400,
      param,
      type: 'invalid_request_error',
    });
  });

  test('`truncation: "auto"` drops the oldest turns', async () => {
    upstreams.openai.answer(({ body }) => {
      const { messages } = body as Loose;
      if (messages.length < 3) return Response.json(replies.openai.whole);
      const error = { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' };
      return Response.json({ error }, { status: 400 });
    });
    const input = ['one', 'two', 'three', 'four', 'five'].map((content) => ({ role: 'user' as const, content }));
    const asked = { ...asking('openai'), input, instructions: 'Be brief.' };
    expect(await client.responses.create(asked).catch((error: unknown) => error)).toMatchObject({
      code: 'context_length_exceeded',
    });
    expect((await client.responses.create({ ...asked, truncation: 'auto' })).output_text).toBe('Well.');
    expect((upstreams.openai.seen.at(-1)!.body as Loose).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'five' },
    ]);
  });
});

describe('built-in models', () => {
  test('text, JSON by schema, and a tool call', async () => {
    const said = await client.responses.create({ model: 'demo/chat', input: 'Hello' });
    expect(said.output_text.length).toBeGreaterThan(3);
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer' } },
      required: ['age'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema' as const, name: 'person', schema };
    const made = await client.responses.create({ model: 'demo/chat', input: 'A person', text: { format } });
    expect(JSON.parse(made.output_text)).toHaveProperty('age');
    const called = await client.responses.create({ model: 'demo/chat', input: 'What is the weather in Paris?', tools });
    expect(called.output.map(({ type }) => type)).toContain('function_call');
  });

  test('a custom tool is called with text in chat completions', async () => {
    const tools = [{ type: 'custom' as const, custom: { name: 'notes' } }];
    const messages = [{ role: 'user' as const, content: 'Write to notes' }];
    const asked = { model: 'demo/chat', messages, tools, tool_choice: 'required' as const };
    const called = { type: 'custom', custom: { name: 'notes', input: expect.stringMatching(/./) } };
    const { choices } = await client.chat.completions.create(asked);
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [called] } });
    const pieces: Loose[] = [];
    for await (const { choices: some } of await client.chat.completions.create({ ...asked, stream: true }))
      pieces.push(...((some[0]?.delta.tool_calls ?? []) as Loose[]));
    expect(pieces[0]).toMatchObject({ index: 0, type: 'custom', custom: { name: 'notes' } });
    expect(pieces.map(({ custom }) => custom.input).join('')).not.toBe('');
    expect(pieces.some((piece) => piece.function)).toBeFalse();
  });

  test('a custom tool is called with text in responses', async () => {
    const custom = [{ type: 'custom' as const, name: 'notes' }];
    const asked = { model: 'demo/chat', input: 'Write to notes', tools: custom, tool_choice: 'required' as const };
    const { output } = await client.responses.create(asked);
    expect(output.find(({ type }) => type === 'custom_tool_call')).toMatchObject({
      name: 'notes',
      input: expect.any(String),
    });
  });
});

test('Azure’s paths', async () => {
  const { baseUrl } = relay.test.config;
  const azure = new AzureOpenAI({
    ...sdkOptions(relay),
    endpoint: baseUrl,
    apiVersion: '2025-04-01-preview',
  });
  expect((await azure.responses.create({ model: 'demo/chat', input: 'Hello' })).model).toBe('demo/chat');
  for (const path of ['/openai/v1/responses', '/openai/responses?api-version=2025-04-01-preview']) {
    const answer = await relay.post(path, { model: 'demo/chat', input: 'Hello' });
    expect(answer.status).toBe(200);
    expect(await relay.usageOf(answer)).toMatchObject({ endpoint: '/v1/responses' });
  }
});
