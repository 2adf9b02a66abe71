import { describe, expect, test } from 'bun:test';
import { anthropicKind } from '../providers/anthropic.ts';
import { geminiKind } from '../providers/gemini.ts';
import type { ProviderKind } from '../providers/kind.ts';
import { openaiKind } from '../providers/openai.ts';
import { renderChatAnswer } from './chat/answer.ts';
import { renderCohereAnswer } from './cohere/answer.ts';
import { isObject, type Json, type WireFormat } from './conversation.ts';
import { renderGeminiAnswer } from './gemini/answer.ts';
import { renderMessagesAnswer } from './messages/answer.ts';
import { parseMessagesRequest } from './messages/request.ts';
import { RelayStream } from './relay-stream.ts';
import { renderResponsesAnswer } from './responses/answer.ts';

/** '🍵 Tea is ' and 'green.' rest on one page each; the emoji is one letter, two in JavaScript, and four bytes. */
const first = '🍵 Tea is ';
const second = 'green.';
const tea = { url: 'https://tea.example/', title: 'Tea' };
const green = { url: 'https://green.example/', title: 'Green' };
const [teaPlace, greenPlace] = [
  { start_index: 0, end_index: 9 },
  { start_index: 9, end_index: 15 },
];
const flat = (page: object, place: object): Json => ({ type: 'url_citation', ...place, ...page });
const nested = (page: object, place: object): Json => ({ type: 'url_citation', url_citation: { ...place, ...page } });

const location = (page: object): Json => ({
  ...{ type: 'web_search_result_location', cited_text: '…', encrypted_index: 'abc' },
  ...page,
});
const grounding = {
  webSearchQueries: ['tea'],
  groundingChunks: [
    { web: { uri: tea.url, title: tea.title } },
    { retrievedContext: { uri: 'gs://own' } },
    { web: { uri: green.url, title: green.title } },
  ],
  groundingSupports: [
    { segment: { endIndex: 12, text: first }, groundingChunkIndices: [0, 1] },
    { segment: { startIndex: 12, endIndex: 18, text: second }, groundingChunkIndices: [2] },
  ],
};
const output = (annotations: Json[][]): Json[] => [
  {
    ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
    content: [first, second].map((text, i) => ({
      type: 'output_text',
      text,
      annotations: annotations[i],
      logprobs: [],
    })),
  },
];
const perPart = [
  [flat(tea, teaPlace), { type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 1 }],
  [flat(green, { start_index: 0, end_index: 6 })],
];
const message = { id: 'r', model: 'm', status: 'completed', output: output(perPart) };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

interface Vendor {
  kind: ProviderKind;
  whole?: Json;
  events: Json[];
}

const piece = (delta: Json, finish_reason: string | null = null): Json => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason }],
});
const place = (content_index: number): Json => ({ item_id: 'msg_1', output_index: 0, content_index });
const block = (index: number, text: string, citation: Json): Json[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: [] } },
  { type: 'content_block_delta', index, delta: { type: 'citations_delta', citation } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
  { type: 'content_block_stop', index },
];

const vendors: Record<string, Vendor> = {
  chat: {
    kind: openaiKind,
    whole: {
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage },
      choices: [
        {
          ...{ index: 0, finish_reason: 'stop' },
          message: {
            ...{ role: 'assistant', content: first + second },
            annotations: [nested(tea, teaPlace), nested(green, greenPlace)],
          },
        },
      ],
    },
    events: [
      piece({ role: 'assistant', content: first }),
      piece({ content: second }),
      piece({ annotations: [nested(tea, teaPlace), nested(green, greenPlace)] }),
      piece({}, 'stop'),
    ],
  },
  'chat, pages before the words': {
    kind: openaiKind,
    events: [
      piece({ role: 'assistant', content: '', annotations: [nested(tea, teaPlace), nested(green, greenPlace)] }),
      piece({ content: first + second }),
      piece({}, 'stop'),
    ],
  },
  responses: {
    kind: openaiKind.responses!,
    whole: message,
    events: [
      { type: 'response.created', response: { id: 'r', model: 'm' } },
      { type: 'response.output_text.delta', ...place(0), delta: first },
      { type: 'response.output_text.annotation.added', ...place(0), annotation_index: 0, annotation: perPart[0]![0] },
      { type: 'response.output_text.delta', ...place(1), delta: second },
      { type: 'response.output_text.annotation.added', ...place(1), annotation_index: 0, annotation: perPart[1]![0] },
      { type: 'response.output_item.done', output_index: 0, item: message.output[0] },
      { type: 'response.completed', response: message },
    ],
  },
  'responses that name pages with the item': {
    kind: openaiKind.responses!,
    whole: message,
    events: [
      { type: 'response.created', response: { id: 'r', model: 'm' } },
      { type: 'response.output_text.delta', ...place(0), delta: first },
      { type: 'response.output_text.delta', ...place(1), delta: second },
      { type: 'response.output_item.done', output_index: 0, item: message.output[0] },
      { type: 'response.completed', response: message },
    ],
  },
  'responses told whole': {
    kind: openaiKind.responses!,
    whole: message,
    events: [
      { type: 'response.created', response: { id: 'r', model: 'm' } },
      { type: 'response.output_item.done', output_index: 0, item: message.output[0] },
      { type: 'response.completed', response: message },
    ],
  },
  messages: {
    kind: anthropicKind,
    whole: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
      content: [
        { type: 'text', text: first, citations: [location(tea)] },
        { type: 'text', text: second, citations: [location(green), { type: 'char_location', document_index: 0 }] },
      ],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    events: [
      { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
      ...block(0, first, location(tea)),
      ...block(1, second, location(green)),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
  },
  gemini: {
    kind: geminiKind,
    whole: {
      candidates: [
        {
          content: { parts: [{ text: first }, { text: second }] },
          finishReason: 'STOP',
          groundingMetadata: grounding,
        },
      ],
    },
    events: [
      {
        candidates: [
          { content: { parts: [{ text: first }] }, groundingMetadata: { groundingChunks: grounding.groundingChunks } },
        ],
      },
      { candidates: [{ content: { parts: [{ text: second }] }, groundingMetadata: grounding }] },
      { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] },
    ],
  },
};

const options = { model: 'public/name', id: 'x', created: 1 };
const inChat = [nested(tea, teaPlace), nested(green, greenPlace)];
const inResponse = [flat(tea, teaPlace), flat(green, greenPlace)];
/** Where a client of each format finds them. */
const inMessage = (body: Json): unknown => (body.choices as { message: Json }[])[0]!.message.annotations;
const inOutput = (body: Json): unknown => (body.output as { content: Json[] }[])[0]!.content[0]!.annotations;

function streamed({ kind, events }: Vendor, client: WireFormat | 'cohere'): Json[] {
  const stream = new RelayStream({
    ...{ ...options, client, upstream: kind.wire, decode: kind.decoder(), includeUsage: false },
  });
  const sent = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const out = [stream.push(Buffer.from(sent)), stream.end().tail].filter((bytes) => bytes !== null);
  const lines = Buffer.concat(out).toString().split('\n');
  return lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)));
}

const all = Object.entries(vendors);
/** What passes as it came has its parts as they were. */
const translated = all.filter(([, { kind }]) => kind.wire !== 'responses');

describe('citations reach', () => {
  test.each(all.filter(([, { whole }]) => whole))('whole chat answers: %s', (_, { kind, whole }) => {
    expect(inMessage(renderChatAnswer(kind.fromUpstream(whole), options))).toEqual(inChat);
  });

  test.each(translated.filter(([, { whole }]) => whole))('whole responses: %s', (_, { kind, whole }) => {
    const response = renderResponsesAnswer(kind.fromUpstream(whole), { ...options, now: () => 1 });
    expect(inOutput(response)).toEqual(inResponse);
  });

  test.each(all)('chat streams: %s', (_, vendor) => {
    const deltas = streamed(vendor, 'chat').flatMap(({ choices }) => choices as { delta: Json }[]);
    expect(deltas.flatMap(({ delta }) => delta.annotations ?? [])).toEqual(inChat);
  });

  test.each(translated)('response streams: %s', (_, vendor) => {
    const events = streamed(vendor, 'responses');
    const added = events.filter(({ type }) => type === 'response.output_text.annotation.added');
    expect(added.map(({ annotation }) => annotation)).toEqual(inResponse);
    expect(added.map((event) => event.annotation_index)).toEqual([0, 1]);
    const ended = events.findLast(({ response }) => isObject(response))!.response as Json;
    expect(inOutput(ended)).toEqual(inResponse);
  });
});

describe('citations of other vendors in the format of', () => {
  const notOf = (wire: WireFormat) => all.filter(([, { kind }]) => kind.wire !== wire);
  const own = (page: object): Json => ({ ...location(page), cited_text: '', encrypted_index: 'svc.' });
  const blocks = [
    { type: 'text', text: first, citations: [own(tea)] },
    { type: 'text', text: second, citations: [own(green)] },
  ];

  test.each(notOf('messages').filter(([, { whole }]) => whole))('Messages, whole: %s', (_, { kind, whole }) => {
    const content = renderMessagesAnswer(kind.fromUpstream(whole), options).content as Json[];
    expect(content.filter(({ type }) => type === 'text')).toEqual(blocks);
  });

  test.each(notOf('messages'))('Messages, streamed: %s', (_, vendor) => {
    const events = streamed(vendor, 'messages');
    const deltas = events.flatMap(({ type, delta }) => (type === 'content_block_delta' ? [delta as Json] : []));
    const named = deltas.flatMap(({ type, citation }) => (type === 'citations_delta' ? [citation] : []));
    expect(named).toEqual([own(tea), own(green)]);
    expect(deltas.map(({ text = '' }) => text).join('')).toBe(first + second);
    // One block holds it all, and pages are named while it is open.
    const begun = events.flatMap(({ content_block: block }) => (block ? [(block as Json).type] : []));
    expect(begun.filter((type) => type === 'text')).toHaveLength(1);
  });

  test.each(notOf('gemini').filter(([, { whole }]) => whole))(
    'Google, whole and round trip: %s',
    (_, { kind, whole }) => {
      const body = renderGeminiAnswer(kind.fromUpstream(whole), options);
      expect(inMessage(renderChatAnswer(geminiKind.fromUpstream(body), options))).toEqual(inChat);
    },
  );

  test.each(notOf('gemini'))('Google, streamed: %s', (_, vendor) => {
    const last = streamed(vendor, 'gemini').at(-1)!;
    const [{ groundingMetadata }] = last.candidates as [Json];
    expect(groundingMetadata).toEqual({
      groundingChunks: [{ web: { uri: tea.url, title: tea.title } }, { web: { uri: green.url, title: green.title } }],
      groundingSupports: [
        { segment: { startIndex: 0, endIndex: 12, text: first }, groundingChunkIndices: [0] },
        { segment: { startIndex: 12, endIndex: 18, text: second }, groundingChunkIndices: [1] },
      ],
    });
  });

  test.each(all)('Cohere: %s', (name, vendor) => {
    const source = (page: { url: string }) => ({
      ...{ type: 'document', id: page.url },
      // Vercel's client rejects a whole answer with a document that has no text.
      document: { id: page.url, text: '', ...page },
    });
    const [early, words] = [name.includes('before'), [first, second]];
    const cited = [tea, green].map((page, i) => ({
      ...{ start: i === 0 ? 0 : 9, end: i === 0 ? 9 : 15, text: early ? '' : words[i], type: 'TEXT_CONTENT' },
      sources: [source(page)],
    }));
    const starts = streamed(vendor, 'cohere').filter(({ type }) => type === 'citation-start');
    expect(starts.map(({ delta }) => (delta as { message: Json }).message.citations)).toEqual(cited);
    if (!vendor.whole) return;
    const { message } = renderCohereAnswer(vendor.kind.fromUpstream(vendor.whole), options) as { message: Json };
    expect(message.citations).toEqual(cited);
  });

  test('Messages, after calls: in a separate block that is sent to no vendor', () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const events = [piece({ tool_calls: [call] }), piece({ annotations: [nested(tea, teaPlace)] }, 'tool_calls')];
    const started = streamed({ kind: openaiKind, events }, 'messages').filter(({ content_block: block }) => block);
    expect(started.map(({ content_block: block }) => (block as Json).type)).toEqual(['tool_use', 'text']);
    const history = [{ role: 'user', content: 'Hi' }];
    const assistant = [...blocks, { type: 'text', text: '', citations: [own(tea)] }];
    const body = { model: 'm', max_tokens: 9, messages: [...history, { role: 'assistant', content: assistant }] };
    const target = { baseUrl: 'https://a.example', credential: 'k', modelName: 'claude-opus-5' };
    const sent = JSON.parse(anthropicKind.toUpstream(parseMessagesRequest(body), target).body as string);
    expect(sent.messages[1].content).toEqual([first, second].map((text) => ({ type: 'text', text })));
  });
});

test('citations of a whole answer without a position in the text', () => {
  const answer = geminiKind.fromUpstream({
    candidates: [
      {
        ...{ content: { parts: [{ text: first }] }, finishReason: 'STOP' },
        groundingMetadata: { groundingChunks: grounding.groundingChunks.slice(0, 1) },
      },
    ],
  });
  expect(inMessage(renderChatAnswer(answer, options))).toEqual([nested(tea, teaPlace)]);
});

test('positions that a vendor counts within a part are converted', () => {
  const supports = [{ segment: { partIndex: 1, endIndex: 6, text: second }, groundingChunkIndices: [2] }];
  const answer = geminiKind.fromUpstream({
    candidates: [
      {
        ...{ content: { parts: [{ text: first }, { text: second }] }, finishReason: 'STOP' },
        groundingMetadata: { ...grounding, groundingSupports: supports },
      },
    ],
  });
  expect(inMessage(renderChatAnswer(answer, options))).toEqual([nested(green, greenPlace)]);
});
