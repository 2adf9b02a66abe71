/** U+2028 and its like end a line for some readers, Python’s httpx among them, which would lose the event. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';
import type { Json } from './wire/conversation.ts';

const said = ['a\u2028b', 'plain “text” §', 'c\u0085d', 'e\u2029f'];
const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
const chatHead = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'up' };
const data = (json: Json): string => `data: ${JSON.stringify(json)}\n\n`;
const named = (json: Json): string => `event: ${json.type}\n${data(json)}`;
const chunk = (delta: Json, finish_reason: string | null = null): string =>
  data({ ...chatHead, choices: [{ index: 0, delta, finish_reason }] });
const item = (text: string): Json => ({
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations: [] }],
});
const response = {
  ...{
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'up',
    status: 'completed',
    output: [item(said.join(''))],
  },
  usage: { input_tokens: 4, output_tokens: 2, total_tokens: 6 },
};
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };

const kinds = { chat: 'openai', messages: 'anthropic', responses: 'openai', gemini: 'gemini' } as const;
type Wire = keyof typeof kinds;
const streams: Record<Wire, string> = {
  chat: [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'first' }),
    ...said.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    data({ ...chatHead, choices: [], usage }),
    'data: [DONE]\n\n',
  ].join(''),
  messages: [
    {
      type: 'message_start',
      message: {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'up', content: [], stop_reason: null },
        usage: { input_tokens: 4, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...['first', ...said].map((text) => ({
      ...{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
    .map(named)
    .join(''),
  responses: [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item(''), content: [] } },
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [] } },
    ...['first', ...said].map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_item.done', output_index: 0, item: item(said.join('')) },
    { type: 'response.completed', response },
  ]
    .map((event, sequence_number) => named({ ...event, sequence_number }))
    .join(''),
  gemini: ['first', ...said]
    .map((text, i, all) =>
      data({
        candidates: [
          {
            content: { role: 'model', parts: [{ text }] },
            index: 0,
            ...(i === all.length - 1 && { finishReason: 'STOP' }),
          },
        ],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
        modelVersion: 'up',
      }),
    )
    .join(''),
};
const wires = Object.keys(kinds) as Wire[];

let relay: RelayTest;
let upstream: ScriptedUpstream;
let given = '';
beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.test.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream(() => new Response(given, { headers: { 'content-type': 'text/event-stream' } }));
  for (const wire of wires)
    await addUpstream(
      relay.test,
      wire === 'gemini' ? upstream.url.replace('/v1', '') : upstream.url,
      [{ model_id: `s/${wire}`, model_name: 'up', capabilities: wire === 'responses' ? { responses: true } : {} }],
      { kind: kinds[wire], name: wire, provider: `s-${wire}` },
    );
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const messages = [{ role: 'user', content: 'hi' }];
const requests: Record<string, (model: string) => [path: string, body: Json]> = {
  chat: (model) => ['/v1/chat/completions', { model, messages, stream: true }],
  messages: (model) => ['/v1/messages', { model, messages, stream: true, max_tokens: 100 }],
  responses: (model) => ['/v1/responses', { model, input: 'hi', stream: true }],
  cohere: (model) => ['/v2/chat', { model, messages, stream: true }],
  gemini: (model) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
};

describe.each(wires)('an upstream of %s', (wire) => {
  // Only requests in its own format are sent to it as such.
  const clients = wire === 'responses' ? ['responses'] : Object.keys(requests);
  test.each(clients)('a client of %s gets whole lines', async (client) => {
    given = streams[wire];
    const text = await (await relay.post(...requests[client]!(`s/${wire}`))).text();
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    for (const mark of ['a\\u2028b', 'c\\u0085d', 'e\\u2029f', '“text” §']) expect(text).toContain(mark);
    for (const line of text.split('\n')) if (line.startsWith('data: {')) expect(JSON.parse(line.slice(6))).toBeObject();
  });
});
