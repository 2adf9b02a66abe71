import { expect, test } from 'bun:test';
import { anthropicKind } from './providers/anthropic.ts';
import { geminiKind } from './providers/gemini.ts';
import type { ProviderKind } from './providers/kind.ts';
import { openaiKind } from './providers/openai.ts';
import { renderChatAnswer } from './wire/chat/answer.ts';
import { renderCohereAnswer } from './wire/cohere/answer.ts';
import type { Answer, Json } from './wire/conversation.ts';
import { renderGeminiAnswer } from './wire/gemini/answer.ts';
import { renderMessagesAnswer } from './wire/messages/answer.ts';
import { renderResponsesAnswer } from './wire/responses/answer.ts';

const options = { model: 'm', id: 'x', created: 1, showThoughts: true } as const;
const clients: Record<string, (answer: Answer) => Json> = {
  chat: (answer) => renderChatAnswer(answer, options),
  responses: (answer) => renderResponsesAnswer(answer, { ...options, now: () => 1 }),
  messages: (answer) => renderMessagesAnswer(answer, options),
  gemini: (answer) => renderGeminiAnswer(answer, options),
  cohere: (answer) => renderCohereAnswer(answer, options),
};

const mark = 'MARK';
const page = `https://${mark}/`;
const kinds = { chat: openaiKind, responses: openaiKind.responses!, messages: anthropicKind, gemini: geminiKind };
type Wire = keyof typeof kinds;

const chat = (message: Json, choice: Json = {}, body: Json = {}): Json => ({
  choices: [{ message: { role: 'assistant', content: 'hi', ...message }, finish_reason: 'stop', ...choice }],
  ...body,
});
const item = (...output: Json[]): Json => ({ status: 'completed', output });
const block = (...content: Json[]): Json => ({ type: 'message', stop_reason: 'end_turn', content });
const part = (held: Json, candidate: Json = {}): Json => ({
  candidates: [{ content: { role: 'model', parts: [held] }, finishReason: 'STOP', ...candidate }],
});
const grounded = (chunk: Json): Json => part({ text: 'a' }, { groundingMetadata: { groundingChunks: [chunk] } });
const call = { name: mark, arguments: '{}' };

/** Who cannot be told, and why: nobody asked for it in that format, or it has no word for it. */
const others = 'responses messages gemini cohere';
const aboutAnswer = 'says why or how, and not what';
const asked = 'comes to whoever asks for it, in the format in which that can be said';
const ofVendor = 'what a vendor’s own tool did on the way to the words';
const noPictures = 'the format has no pictures in answers';

const answers: [name: string, wire: Wire, body: Json, untold?: string, why?: string][] = [
  ['content', 'chat', chat({ content: mark })],
  ['refusal', 'chat', chat({ content: null, refusal: mark })],
  ['tool_calls', 'chat', chat({ content: null, tool_calls: [{ id: 'c', type: 'function', function: call }] })],
  ['function_call', 'chat', chat({ content: null, function_call: call }, { finish_reason: 'function_call' })],
  ['annotations', 'chat', chat({ annotations: [{ type: 'url_citation', url_citation: { url: page } }] })],
  ['reasoning_content', 'chat', chat({ reasoning_content: mark })],
  ['citations of Perplexity', 'chat', chat({}, {}, { citations: [page] })],
  ['search_results of Perplexity', 'chat', chat({}, {}, { search_results: [{ url: page, title: 'a' }] })],
  [
    'images',
    'chat',
    chat({ images: [{ image_url: { url: `data:image/png;base64,${mark}` } }] }),
    'messages cohere',
    noPictures,
  ],
  ['audio', 'chat', chat({ audio: { data: mark, transcript: mark } }), others, asked],
  [
    'custom calls',
    'chat',
    chat({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: mark, input: '' } }] }),
    others,
    asked,
  ],
  [
    'logprobs',
    'chat',
    chat({}, { logprobs: { content: [{ token: mark, logprob: -1 }] } }),
    'messages gemini cohere',
    asked,
  ],
  ['service_tier', 'chat', chat({}, {}, { service_tier: mark }), others, aboutAnswer],
  ['message', 'responses', item({ type: 'message', content: [{ type: 'output_text', text: mark, annotations: [] }] })],
  ['refusal', 'responses', item({ type: 'message', content: [{ type: 'refusal', refusal: mark }] })],
  ['reasoning', 'responses', item({ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: mark }] })],
  ['function_call', 'responses', item({ type: 'function_call', call_id: 'c', ...call })],
  ['image', 'responses', item({ type: 'image_generation_call', result: mark }), 'messages cohere', noPictures],
  ['custom_tool_call', 'responses', item({ type: 'custom_tool_call', call_id: 'c', name: 'f', input: mark })],
  [
    'code_interpreter_call',
    'responses',
    item({ type: 'code_interpreter_call', code: mark }),
    'chat messages gemini cohere',
    ofVendor,
  ],
  ['text', 'messages', block({ type: 'text', text: mark })],
  ['thinking', 'messages', block({ type: 'thinking', thinking: mark, signature: 'abc' })],
  ['tool_use', 'messages', block({ type: 'tool_use', id: 't', name: mark, input: {} })],
  ['citations', 'messages', block({ type: 'text', text: 'a', citations: [{ url: page }] })],
  [
    'server_tool_use',
    'messages',
    block({ type: 'server_tool_use', id: 's', input: { query: mark } }),
    'chat responses gemini cohere',
    ofVendor,
  ],
  [
    'stop_sequence',
    'messages',
    { ...block(), stop_reason: 'stop_sequence', stop_sequence: mark },
    'chat responses gemini cohere',
    aboutAnswer,
  ],
  ['stop_details', 'messages', { ...block(), stop_reason: 'refusal', stop_details: { explanation: mark } }],
  ['text', 'gemini', part({ text: mark })],
  ['thought', 'gemini', part({ text: mark, thought: true })],
  ['functionCall', 'gemini', part({ functionCall: { name: mark, args: {} } })],
  ['executableCode', 'gemini', part({ executableCode: { language: 'PYTHON', code: mark } })],
  ['codeExecutionResult', 'gemini', part({ codeExecutionResult: { output: mark } })],
  ['pages', 'gemini', grounded({ web: { uri: page } })],
  ['places', 'gemini', grounded({ maps: { uri: page } })],
  ['image search results', 'gemini', grounded({ image: { sourceUri: page } })],
  ['document search results', 'gemini', grounded({ retrievedContext: { uri: page } })],
  [
    'citationMetadata',
    'gemini',
    part({ text: 'a' }, { citationMetadata: { citations: [{ uri: page, endIndex: 1 }] } }),
  ],
  ['an image', 'gemini', part({ inlineData: { mimeType: 'image/png', data: mark } }), 'messages cohere', noPictures],
  [
    'sound',
    'gemini',
    part({ inlineData: { mimeType: 'audio/wav', data: mark } }),
    'chat responses messages cohere',
    asked,
  ],
  [
    'finishMessage',
    'gemini',
    part({ text: 'a' }, { finishMessage: mark }),
    'chat responses messages cohere',
    aboutAnswer,
  ],
];

test.each(answers)('%s of %s reaches clients of other formats, or a reason is listed', (_, wire, body, untold = '') => {
  const kind: ProviderKind = kinds[wire];
  const lost = Object.entries(clients)
    .filter(([client, render]) => client !== wire && !JSON.stringify(render(kind.fromUpstream(body))).includes(mark))
    .map(([client]) => client);
  expect(lost.join(' ')).toBe(untold);
});

/** An end that is none must not look like one. */
test.each([
  ['CONTINUATION', 'length'],
  ['MAX_TOKENS', 'length'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['STOP', 'stop'],
] as const)('Google’s %s becomes %s', (finishReason, finish) => {
  expect(geminiKind.fromUpstream(part({ text: 'a' }, { finishReason })).finish).toBe(finish);
});

test('Anthropic’s explanation of a refusal is streamed as text, and omitted if there is none', () => {
  const end = (stop_details: Json | null) =>
    anthropicKind.decoder()({ type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } });
  const finish = { type: 'finish', finish: 'content_filter' } as const;
  expect(end({ type: 'refusal', explanation: 'No.' })).toEqual([{ type: 'text', text: 'No.', refusal: true }, finish]);
  for (const silent of [null, { type: 'refusal', explanation: null }]) expect(end(silent)).toEqual([finish]);
});

test('citations and legacy function calls are also decoded in streams', () => {
  const chunk = (delta: Json, beside: Json = {}, finish_reason: string | null = null): Json => ({
    ...{ id: 'c', choices: [{ index: 0, delta, finish_reason }] },
    ...beside,
  });
  const decode = openaiKind.decoder();
  const events = [
    chunk({ content: 'Tea.' }, { citations: [page] }),
    chunk({ function_call: { name: 'find', arguments: '{"a"' } }),
    chunk({ function_call: { arguments: ':1}' } }),
    chunk({}, { citations: [page] }, 'stop'),
  ];
  const deltas = events.flatMap(decode);
  expect(deltas.filter(({ type }) => type === 'citation')).toEqual([
    { type: 'citation', url: page, title: '', start: 0, end: 4 },
  ]);
  expect(deltas.flatMap((delta) => (delta.type === 'tool_args' ? [delta.args] : [])).join('')).toBe('{"a":1}');
  expect(deltas.at(-1)).toEqual({ type: 'finish', finish: 'tool_calls' });
});
