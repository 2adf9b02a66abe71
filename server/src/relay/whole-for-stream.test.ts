import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { openRelayTest, type RelayTest, sdkOptions } from './endpoints/relay.fixture.ts';
import { wholeResponse } from './responses-upstream.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;

const args = { city: 'Rome' };
const message = (fields = {}) => ({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'up', stop_sequence: null },
  ...{ stop_reason: 'tool_use', usage: { input_tokens: 40, output_tokens: 20 } },
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'text', text: 'Well.' },
    { type: 'tool_use', id: 'call_1', name: 'weather', input: args },
  ],
  ...fields,
});
const chatUsage = { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 };
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: JSON.stringify(args) } };
const said = { role: 'assistant', content: 'Well.', refusal: null, reasoning_content: 'hm', tool_calls: [call] };
const logprobs = { content: [{ token: 'Well.', bytes: null, logprob: -0.5, top_logprobs: [] }], refusal: null };
const chatHead = { id: 'c', object: 'chat.completion', created: 1, model: 'up', system_fingerprint: 'fp' };
const parts = [{ text: 'hm', thought: true }, { text: 'Well.' }, { functionCall: { name: 'weather', args } }];

/** Complete answers, by the format of the upstream. */
const wholes: Record<string, object> = {
  chat: {
    ...chatHead,
    choices: [{ index: 0, message: said, logprobs, finish_reason: 'tool_calls' }],
    usage: chatUsage,
  },
  text: {
    ...{ id: 'cmpl-up', object: 'text_completion', created: 1, model: 'up', usage: chatUsage },
    choices: [{ text: 'Well.', index: 0, logprobs: null, finish_reason: 'stop' }],
  },
  messages: message(),
  responses: wholeResponse(),
  gemini: {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 20, totalTokenCount: 60 },
    modelVersion: 'up',
    responseId: 'g',
  },
};
const kinds = { chat: 'openai', text: 'openai', responses: 'openai', messages: 'anthropic', gemini: 'gemini' } as const;
const abilities: Partial<Record<string, object>> = {
  text: { completions: true },
  responses: { responses: true, tools_in_responses: true },
};

let relay: RelayTest;
let upstream: ScriptedUpstream;
/** What the upstream sends, whatever was asked for. */
let body: string;
let type: string;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(1_000_000_000);
  upstream = scriptedUpstream(() => new Response(body, { headers: { 'content-type': type } }));
  for (const [wire, kind] of Object.entries(kinds))
    await addUpstream(
      relay.test,
      wire === 'gemini' ? upstream.url.replace('/v1', '') : upstream.url,
      [
        {
          model_id: `w/${wire}`,
          model_name: 'up',
          prompt_price: 10,
          completion_price: 20,
          capabilities: abilities[wire],
        },
      ],
      { kind, name: wire, provider: `w-${wire}` },
    );
  const { baseUrl } = relay.test.config;
  openai = new OpenAI({ ...sdkOptions(relay), baseURL: `${baseUrl}/v1` });
  anthropic = new Anthropic({ ...sdkOptions(relay), baseURL: baseUrl });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const tools = { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } };
const hi = [{ role: 'user' as const, content: 'hi' }];

/** How a client sees an answer, whole or assembled from a stream by its vendor's own library. */
type Ask = (model: string, stream: boolean) => Promise<Loose>;
const clients: Record<string, Ask> = {
  chat: async (model, stream) => {
    const asked: Loose = { model, messages: hi, max_tokens: 100, tools: [{ type: 'function', function: tools }] };
    if (!stream) return openai.chat.completions.create(asked);
    return openai.chat.completions.stream({ ...asked, stream_options: { include_usage: true } }).finalChatCompletion();
  },
  messages: async (model, stream) => {
    const { name, parameters } = tools;
    const asked: Loose = { model, messages: hi, max_tokens: 100, tools: [{ name, input_schema: parameters }] };
    return stream ? anthropic.messages.stream(asked).finalMessage() : anthropic.messages.create(asked);
  },
  responses: async (model, stream) => {
    const asked: Loose = { model, input: hi, max_output_tokens: 100, tools: [{ type: 'function', ...tools }] };
    return stream ? openai.responses.stream(asked).finalResponse() : openai.responses.create(asked);
  },
  gemini: async (model, stream) => {
    const generationConfig = { maxOutputTokens: 100, thinkingConfig: { includeThoughts: true } };
    const path = `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    const answer = await relay.post(path, {
      ...{ contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig },
      tools: [{ functionDeclarations: [tools] }],
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, text]);
    return stream ? joinedGemini(text) : JSON.parse(text);
  },
};

function joinedGemini(text: string): Loose {
  const events: Loose[] = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  const last = events.at(-1);
  const shown = events
    .flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
    .filter((part) => part.text !== '');
  return { ...last, candidates: [{ ...last.candidates[0], content: { role: 'model', parts: shown } }] };
}

/** Of one answer alone, or added by a library. */
const own =
  /^(id|item_id|call_id|created|created_at|completed_at|responseId|object|_request_id|output_text|parsed.*|encrypted_content|reasoning_details)$/;

/** Without what differs between two answers to the same question. */
const comparable = (answer: Loose): Loose =>
  JSON.parse(JSON.stringify(answer, (name, value) => (own.test(name) || value === null ? undefined : value)));

async function lastRow(before: number): Promise<Loose> {
  for (;;) {
    const rows = await relay.usage();
    if (rows.length > before) return rows[0];
    await Bun.sleep(5);
  }
}

for (const [wire, whole] of Object.entries(wholes)) {
  if (wire === 'text') continue;
  describe(`an upstream of ${wire} that answers a streamed request in one piece`, () => {
    for (const [client, ask] of Object.entries(clients)) {
      test(`is a stream for a client of ${client}, and charged alike`, async () => {
        body = JSON.stringify(whole);
        type = 'application/json';
        const before = (await relay.usage()).length;
        const asWhole = comparable(await ask(`w/${wire}`, false));
        const one = await lastRow(before);
        const asStream = comparable(await ask(`w/${wire}`, true));
        const other = await lastRow(before + 1);
        expect(asStream).toEqual(asWhole);
        expect([one.prompt_tokens, one.completion_tokens, one.quota]).toEqual([40, 20, 400]);
        expect([other.prompt_tokens, other.completion_tokens, other.quota]).toEqual([40, 20, 400]);
        expect(other.status).toBe('ok');
      });
    }
  });
}

test('so is one of text completions', async () => {
  body = JSON.stringify(wholes.text);
  type = 'application/json';
  const asked = { model: 'w/text', prompt: 'hi', max_tokens: 100 };
  const answer = await relay.post('/v1/completions', {
    ...asked,
    stream: true,
    stream_options: { include_usage: true },
  });
  const text = await answer.text();
  const chunks: Loose[] = text
    .split('\n')
    .flatMap((line) => (/^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : []));
  expect(chunks.map(({ object }) => object)).toEqual(chunks.map(() => 'text_completion'));
  expect(chunks.flatMap(({ choices }) => choices).map((choice) => choice.text)).toEqual(['', 'Well.', '']);
  expect(chunks.at(-2).choices[0].finish_reason).toBe('stop');
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: chatUsage });
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(await relay.usageOf(answer)).toMatchObject({ prompt_tokens: 40, completion_tokens: 20, quota: 400 });
});

const ask = (model: string) =>
  relay.post('/v1/chat/completions', { model, messages: hi, stream: true, stream_options: { include_usage: true } });

test.each(['text/event-stream', 'text/plain', 'application/json; charset=utf-8'])(
  'whatever type it is said to be: %s, after blanks and in pieces',
  async (said) => {
    type = said;
    body = `\uFEFF\n\n   \n ${JSON.stringify(wholes.chat, null, 2)}\n`;
    const answer = await ask('w/chat');
    expect(await answer.text()).toContain('"content":"Well."');
    expect(await relay.usageOf(answer)).toMatchObject({ prompt_tokens: 40, completion_tokens: 20 });
  },
);

test('several choices stay apart', async () => {
  type = 'application/json';
  const choices = [0, 1].map((index) => ({
    index,
    message: { role: 'assistant', content: `no ${index}` },
    finish_reason: 'length',
  }));
  body = JSON.stringify({ ...wholes.chat, choices });
  const stream = openai.chat.completions.stream({ model: 'w/chat', messages: hi, n: 2 });
  const { choices: got } = await stream.finalChatCompletion();
  expect(got.map(({ index, message, finish_reason }) => [index, message.content, finish_reason])).toEqual([
    [0, 'no 0', 'length'],
    [1, 'no 1', 'length'],
  ]);
});

test('Gemini events that came as the elements of a list', async () => {
  type = 'application/json';
  const part = (text: string, more = {}) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
  });
  const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 20 };
  body = JSON.stringify([part('We'), { ...part('ll.', { finishReason: 'STOP' }), usageMetadata }]);
  const answer = await ask('w/gemini');
  const text = await answer.text();
  expect(text).toContain('"content":"We"');
  expect(text).toContain('"content":"ll."');
  expect(await relay.usageOf(answer)).toMatchObject({ prompt_tokens: 40, completion_tokens: 20 });
});

test('an answer that is incomplete, or none, is still a failure, and an error in it is read as such', async () => {
  type = 'application/json';
  const {
    choices: [choice],
  } = wholes.chat as Loose;
  const refused = { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' };
  const bodies: [unknown, number, string][] = [
    [{ error: refused }, 400, 'context_length_exceeded'],
    [{ ok: true }, 502, 'provider_error'],
    [{ ...wholes.chat, choices: [] }, 502, 'provider_error'],
    [{ ...wholes.chat, choices: [{ ...choice, finish_reason: 'error' }] }, 502, 'provider_error'],
    [[wholes.chat], 502, 'provider_error'],
  ];
  for (const [sent, status, code] of bodies) {
    body = JSON.stringify(sent);
    const answer = await ask('w/chat');
    expect([answer.status, ((await answer.json()) as Loose).error?.code]).toEqual([status, code]);
  }
  body = JSON.stringify(wholes.chat).slice(0, -20);
  expect((await ask('w/chat')).status).toBe(502);
});
