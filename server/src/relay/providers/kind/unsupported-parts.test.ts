import { describe, expect, test } from 'bun:test';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseGeminiRequest } from '../../wire/gemini/request.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { parseResponsesRequest } from '../../wire/responses/request.ts';
import { anthropicKind } from '../anthropic.ts';
import { geminiKind } from '../gemini.ts';
import { openaiKind } from '../openai.ts';

const target = { baseUrl: 'http://up', credential: 'c', modelName: 'm-1' };
const kinds = { chat: openaiKind, messages: anthropicKind, gemini: geminiKind, responses: openaiKind.responses! };
type Format = keyof typeof kinds;

/** What a user gives in a message of each format. */
const requestOf = {
  chat: (part: Json) => parseChatRequest({ model: 'm', messages: [{ role: 'user', content: [part] }] }),
  messages: (part: Json) =>
    parseMessagesRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [part] }] }),
  responses: (part: Json) => parseResponsesRequest({ model: 'm', input: [{ role: 'user', content: [part] }] }),
  gemini: (part: Json) =>
    parseGeminiRequest({ contents: [{ role: 'user', parts: [part] }] }, { model: 'm', stream: false }),
};

const all: Format[] = ['chat', 'messages', 'gemini', 'responses'];
/** The mark by which a part is known again, and the formats whose vendors can be given it. */
const given: [from: Format, what: string, part: Json, mark: string, carriedBy: Format[]][] = [
  ['chat', 'text', { type: 'text', text: 'MARK' }, 'MARK', all],
  [
    'chat',
    'audio',
    { type: 'input_audio', input_audio: { data: 'MARK', format: 'wav' } },
    'MARK',
    ['chat', 'gemini', 'responses'],
  ],
  ['chat', 'a video', { type: 'video_url', video_url: { url: 'https://x/MARK' } }, 'MARK', ['chat']],
  ['chat', 'a picture', { type: 'image_url', image_url: { url: 'data:image/png;base64,MARK' } }, 'MARK', all],
  ['chat', 'a file', { type: 'file', file: { file_data: 'data:application/pdf;base64,MARK' } }, 'MARK', all],
  ['chat', 'a file by id', { type: 'file', file: { file_id: 'file-MARK' } }, 'MARK', ['chat']],
  ['chat', "a file of Google's", { type: 'file', file: { file_id: 'files/MARK' } }, 'MARK', ['chat', 'gemini']],
  [
    'messages',
    'an image by id',
    { type: 'image', source: { type: 'file', file_id: 'file_MARK' } },
    'MARK',
    ['messages'],
  ],
  [
    'messages',
    'a file by id',
    { type: 'document', source: { type: 'file', file_id: 'file_MARK' } },
    'MARK',
    ['messages'],
  ],
  [
    'messages',
    'a file by URL',
    { type: 'document', source: { type: 'url', url: 'https://x/MARK.pdf' } },
    'MARK',
    ['messages', 'gemini', 'responses'],
  ],
  [
    'messages',
    'a document of blocks',
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'MARK' }] } },
    'MARK',
    all,
  ],
  [
    'messages',
    'a search result',
    { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'MARK' }] },
    'MARK',
    all,
  ],
  ['messages', 'a file for a container', { type: 'container_upload', file_id: 'file_MARK' }, 'MARK', ['messages']],
  [
    'responses',
    'audio',
    { type: 'input_audio', input_audio: { data: 'MARK', format: 'wav' } },
    'MARK',
    ['chat', 'gemini', 'responses'],
  ],
  [
    'responses',
    'a file by URL',
    { type: 'input_file', file_url: 'https://x/MARK.pdf' },
    'MARK',
    ['messages', 'gemini', 'responses'],
  ],
  ['responses', 'a picture by id', { type: 'input_image', file_id: 'file-MARK' }, 'MARK', ['responses']],
  ['gemini', 'audio', { inlineData: { mimeType: 'audio/wav', data: 'MARK' } }, 'MARK', ['chat', 'gemini', 'responses']],
  ['gemini', 'a video', { inlineData: { mimeType: 'video/mp4', data: 'MARK' } }, 'MARK', ['gemini']],
];

describe.each(given)('%s: %s', (from, _, part, mark, carriedBy) => {
  test.each(all)('is forwarded to a %s vendor or rejected by name', (to) => {
    const send = () => kinds[to].toUpstream(requestOf[from](part), target).body as string;
    if (carriedBy.includes(to)) expect(send()).toContain(mark);
    else expect(send).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });
});

test.each(all.filter((to) => to !== 'chat'))('audio output is rejected for a %s vendor', (to) => {
  for (const body of [{ modalities: ['text', 'audio'] }, { audio: { voice: 'alloy', format: 'wav' } }]) {
    const request = parseChatRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body });
    expect(() => kinds[to].toUpstream(request, target)).toThrow(`'audio'`);
  }
});

const stops = (count: number): string[] => Array.from({ length: count }, (_, i) => `END${i}`);
/** What ends an answer, the vendor's own address where it matters, and who can be given it. */
const ends: [what: string, given: string[], carriedBy: Format[]][] = [
  ['four', stops(4), ['chat', 'messages', 'gemini']],
  ['five, which OpenAI refuses', stops(5), ['messages', 'gemini']],
  ['six, which Google refuses', stops(6), ['messages']],
  ['a line break, which Anthropic refuses', ['\n'], ['chat', 'gemini']],
  ['a line break among others', ['END', ' \n'], ['chat', 'gemini']],
  ['an empty one, which ends nothing', ['', ...stops(4)], ['chat', 'messages', 'gemini']],
];

describe.each(ends)('stop sequences: %s', (_, given, carriedBy) => {
  const request = parseMessagesRequest({
    ...{ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
    stop_sequences: given,
  });
  const { source: _as, ...written } = request;
  const asked = { chat: request, messages: written, gemini: request };

  test.each(['chat', 'messages', 'gemini'] as const)('are forwarded to a %s vendor or rejected by name', (to) => {
    const openai = { ...target, baseUrl: 'https://api.openai.com/v1', provider: 'openai' };
    const send = () => JSON.parse(kinds[to].toUpstream(asked[to], to === 'chat' ? openai : target).body as string);
    if (!carriedBy.includes(to)) return expect(send).toThrow(/stop.*not supported/);
    const { stop, stop_sequences, generationConfig } = send();
    expect(stop ?? stop_sequences ?? generationConfig.stopSequences).toEqual(given.filter((text) => text !== ''));
  });
});

test('the number of stop sequences is limited only for OpenAI', () => {
  const request = parseMessagesRequest({
    ...{ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], stop_sequences: stops(9) },
  });
  expect(JSON.parse(openaiKind.toUpstream(request, target).body as string).stop).toEqual(stops(9));
});

test.each(['messages', 'gemini'] as const)('logprobs are rejected for a %s vendor', (to) => {
  const asked = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  expect(() => kinds[to].toUpstream(parseChatRequest({ ...asked, logprobs: true }), target)).toThrow(`'logprobs'`);
  kinds[to].toUpstream(parseChatRequest({ ...asked, logprobs: false }), target);
});

test('a custom tool call in the history is sent to other vendors with its result', () => {
  const request = parseChatRequest({
    model: 'm',
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'patch', input: 'a\nb' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
  });
  expect(JSON.parse(anthropicKind.toUpstream(request, target).body as string).messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'patch', input: { input: 'a\nb' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'done' }] }] },
  ]);
  const typeFor = (modelName: string) =>
    JSON.parse(openaiKind.toUpstream(request, { ...target, modelName }).body as string).messages[1].tool_calls[0].type;
  expect([typeFor('gpt-5.5'), typeFor('glm-5')]).toEqual(['custom', 'function']);
});
