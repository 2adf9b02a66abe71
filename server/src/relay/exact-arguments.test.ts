import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { frameOf, responseEvents, wholeResponse } from './responses-upstream.fixture.ts';
import { addUpstream } from './scripted-upstream.fixture.ts';
import type { Json, WireFormat } from './wire/conversation.ts';

/* Ids of 64 bits in the arguments of tools: a rounded one names something else. */

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

const digits = '9007199254740993';
const args = `{"user":${digits},"more":{"all":[-12345678901234567890,0.12345678901234567891]}}`;
/** Written in place of these, as JSON of a tool's arguments; in text that is JSON itself, escaped. */
const [asObject, asText] = ['"ARGS"', '"TEXT"'];
const written = (json: unknown): string =>
  JSON.stringify(json).replaceAll(asObject, args).replaceAll(asText, JSON.stringify(args));

const kinds: Record<WireFormat, string> = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
};
const head = { id: 'c', object: 'chat.completion', created: 1, model: 'up' };
const usage = { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 };
const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: 'TEXT' } };
const message: Json = { id: 'm', type: 'message', role: 'assistant', model: 'up', stop_sequence: null };
const counted = { input_tokens: 40, output_tokens: 20 };
const parts = [{ functionCall: { name: 'find', args: 'ARGS' } }];
const gemini = {
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 20, totalTokenCount: 60 },
  modelVersion: 'up',
};
const response = wholeResponse();
(response.output as Loose)[2].arguments = 'TEXT';
const event = (json: unknown) => `data: ${written(json)}\n\n`;

const wholes: Record<WireFormat, unknown> = {
  chat: {
    ...head,
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
    ],
    usage,
  },
  messages: {
    ...message,
    content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: 'ARGS' }],
    stop_reason: 'tool_use',
    usage: counted,
  },
  responses: response,
  gemini,
};
const streams: Record<WireFormat, () => string> = {
  chat: () =>
    `${[
      {
        ...head,
        choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
      },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { ...head, choices: [], usage },
    ]
      .map(event)
      .join('')}data: [DONE]\n\n`,
  messages: () =>
    [
      { type: 'message_start', message: { ...message, content: [], usage: counted } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'call_1', name: 'find', input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: 'TEXT' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: counted },
      { type: 'message_stop' },
    ]
      .map((one) => `event: ${one.type}\n${event(one)}`)
      .join(''),
  responses: () =>
    responseEvents(response)
      .filter(({ type }) => type !== 'response.function_call_arguments.delta')
      .map((one) => frameOf(one).replaceAll(asText, JSON.stringify(args)))
      .join(''),
  gemini: () => event(gemini),
};

let relay: RelayTest;
/** What the upstream answers with, and what it was sent last. */
let given = { body: '', type: '' };
let sent = '';
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    sent = await request.text();
    return new Response(given.body, { headers: { 'content-type': given.type } });
  },
});

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  for (const [wire, kind] of Object.entries(kinds))
    await addUpstream(
      relay.test,
      `http://127.0.0.1:${upstream.port}${wire === 'gemini' ? '' : '/v1'}`,
      [
        {
          model_id: `n/${wire}`,
          model_name: 'up',
          capabilities: wire === 'responses' ? { responses: true, tools_in_responses: true } : {},
        },
      ],
      { kind, name: wire, provider: `n-${wire}` },
    );
});
afterAll(async () => {
  await upstream.stop(true);
  await relay.close();
});

const schema = { type: 'object', properties: { user: { type: 'integer' } } };
const declared = { name: 'find', parameters: schema };
/** A conversation in which a tool was called, and gave what it was asked. */
const requests: Record<WireFormat, (model: string, stream: boolean) => { path: string; body: unknown }> = {
  chat: (model, stream) => ({
    path: '/v1/chat/completions',
    body: {
      ...{ model, stream, tools: [{ type: 'function', function: declared }] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'TEXT' },
      ],
    },
  }),
  responses: (model, stream) => ({
    path: '/v1/responses',
    body: {
      ...{ model, stream, tools: [{ type: 'function', ...declared }] },
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 'call_1', name: 'find', arguments: 'TEXT' },
        { type: 'function_call_output', call_id: 'call_1', output: 'TEXT' },
      ],
    },
  }),
  messages: (model, stream) => ({
    path: '/v1/messages',
    body: {
      ...{ model, stream, max_tokens: 100, tools: [{ name: 'find', input_schema: schema }] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: 'ARGS' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'TEXT' }] },
      ],
    },
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      tools: [{ functionDeclarations: [declared] }],
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'find', args: 'ARGS' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'find', response: 'ARGS' } }] },
      ],
    },
  }),
};

/** How often the arguments stand there, in whatever way. */
const timesIn = (text: string): number => text.split(digits).length - 1;
const rounded = /9007199254740992|12345678901234567000|12345678901234568/;

for (const wire of Object.keys(kinds) as WireFormat[])
  for (const client of Object.keys(kinds) as WireFormat[])
    describe(`a client of ${client}, an upstream of ${wire}`, () => {
      test.each([false, true])('the digits are those that were written; streamed: %p', async (stream) => {
        given = stream
          ? { body: streams[wire](), type: 'text/event-stream' }
          : { body: written(wholes[wire]), type: 'application/json' };
        const { path, body } = requests[client](`n/${wire}`, stream);
        const { config, app } = relay.test;
        const headers = { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: written(body) };
        const answer = await app.fetch(new Request(config.baseUrl + path, init));
        const text = await answer.text();
        expect([answer.status, text]).toEqual([200, text]);
        expect(text).not.toMatch(rounded);
        expect(timesIn(text)).toBeGreaterThan(0);
        expect(sent).not.toMatch(rounded);
        expect(timesIn(sent)).toBe(2);
      });
    });

test('arguments that are one number are no object', async () => {
  const alone = (json: unknown) => JSON.stringify(json).replaceAll(asText, `"${digits}"`);
  given = { body: alone(wholes.chat), type: 'application/json' };
  for (const [client, member] of [
    ['messages', 'value'],
    ['gemini', 'value'],
  ] as const) {
    const { path, body } = requests[client]('n/chat', false);
    expect(await (await relay.post(path, body)).text()).toContain(`{"${member}":${digits}}`);
  }
  given = { body: written(gemini), type: 'application/json' };
  const { path, body } = requests.chat('n/gemini', false);
  await relay.post(path, JSON.parse(alone(body)));
  expect(sent).toContain(`"response":{"result":${digits}}`);
});

test('a number that is none of a tool’s is read as before', async () => {
  given = { body: written(wholes.messages), type: 'application/json' };
  const { path, body } = requests.messages('n/messages', false);
  const { config, app } = relay.test;
  const headers = { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' };
  const text = JSON.stringify({ ...(body as Json), temperature: 'T' }).replace('"T"', '0.69999999999999996');
  const answer = await app.fetch(
    new Request(config.baseUrl + path, {
      method: 'POST',
      headers,
      body: text.replace('"integer"', `"integer","maximum":${digits}`),
    }),
  );
  expect(answer.status).toBe(200);
  expect(JSON.parse(sent)).toMatchObject({ temperature: 0.7 });
  expect(sent).toContain('"maximum":9007199254740992');
});
