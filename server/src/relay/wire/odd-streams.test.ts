/** Streams as servers write them, within their formats and beside: whoever follows gets the same, wherever the network cuts them. */
import { describe, expect, test } from 'bun:test';
import { anthropicKind } from '../providers/anthropic.ts';
import { geminiKind } from '../providers/gemini.ts';
import { openaiKind } from '../providers/openai.ts';
import type { Json, WireFormat } from './conversation.ts';
import { RelayStream } from './relay-stream.ts';

const kinds = { chat: openaiKind, messages: anthropicKind, gemini: geminiKind, responses: openaiKind.responses! };
const [first, second] = ['Hé🎉', ' you'];

const data = (value: Json): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: Json): string => `event: ${value.type}\n${data(value)}`;
const ended = 'data: [DONE]\n\n';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const chunk = (delta: Json, finish: string | null = null, beside: Json = {}): string =>
  data({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'up' },
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...beside,
  });
const said = chunk({ content: first }) + chunk({ content: second });
const finished = chunk({}, 'stop', { usage });

const begun = {
  type: 'message_start',
  message: { id: 'm', model: 'up', usage: { input_tokens: 3, output_tokens: 1 } },
};
const block = (text: string): Json => ({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text },
});
const words = (text: string): Json => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const closed = { type: 'content_block_stop', index: 0 };
const told = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } };
const stop = { type: 'message_stop' };

const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
const candidate = (text: string, finishReason?: string, beside: Json = {}): string =>
  data({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...(finishReason && { finishReason }) }],
    ...beside,
  });

const content = [{ type: 'output_text', text: first + second, annotations: [] }];
const item = { type: 'message', id: 'msg', role: 'assistant', status: 'completed', content };
const response = { id: 'resp_1', model: 'up', status: 'completed', output: [item] };
const created = { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } };
const place = { item_id: 'msg', output_index: 0, content_index: 0 };
const piece = (delta: string): Json => ({ type: 'response.output_text.delta', ...place, delta });
const itemDone = { type: 'response.output_item.done', output_index: 0, item };
const completed = {
  type: 'response.completed',
  response: { ...response, usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } },
};

const streams: [format: WireFormat, what: string, text: string][] = [
  ['chat', 'as it should be', said + finished + ended],
  [
    'chat',
    'a first chunk with only filter results',
    data({ choices: [], prompt_filter_results: [] }) + said + finished + ended,
  ],
  ['chat', 'usage alone at the end', said + chunk({}, 'stop') + data({ id: 'c', choices: [], usage }) + ended],
  ['chat', 'no choices at all', data({ id: 'c', choices: null }) + said + finished + ended],
  [
    'chat',
    'usage with every chunk',
    chunk({}, null, { usage: { ...usage, completion_tokens: 0 } }) + said + finished + ended,
  ],
  ['chat', 'comments', `: hello\n\n${said}: still there\n${finished}${ended}`],
  ['chat', 'lines that end in CRLF', (said + finished + ended).replaceAll('\n', '\r\n')],
  ['chat', 'lines that end in CR', (said + finished + ended).replaceAll('\n', '\r')],
  ['chat', 'no blank after the colon', (said + finished + ended).replaceAll('data: ', 'data:')],
  ['chat', 'names of events', `event: message\nid: 4\n${said}${finished}event: done\n${ended}`],
  ['chat', 'an empty finish reason', chunk({ content: first }, '') + chunk({ content: second }, '') + finished + ended],
  [
    'chat',
    'the last text with the finish reason',
    chunk({ content: first }) + chunk({ content: second }, 'stop', { usage }) + ended,
  ],
  ['chat', 'no end mark', said + finished],
  ['chat', 'an end mark without its blank line', said + finished + ended.trim()],
  ['chat', 'a blank after the end mark', `${said}${finished}data: [DONE] \n\n`],
  ['chat', 'a byte order mark', `\ufeff${said}${finished}${ended}`],
  ['chat', 'empty events between', `${said}data:\n\ndata: \n\n\n\n${finished}${ended}`],
  [
    'chat',
    'pieces without text',
    chunk({}) + chunk({ content: null }) + said + chunk({ content: '' }) + finished + ended,
  ],
  [
    'chat',
    'no delta at all',
    data({ id: 'c', choices: [{ index: 0, finish_reason: null }] }) + said + finished + ended,
  ],
  ['chat', 'events after the end', `${said}${finished}${ended}${data({ id: 'c', choices: [], cost: 1 })}`],
  [
    'chat',
    'usage in the middle',
    chunk({ content: first }) + data({ id: 'c', choices: [], usage }) + chunk({ content: second }) + finished + ended,
  ],
  [
    'messages',
    'as documented',
    [begun, { type: 'ping' }, block(''), words(first), words(second), closed, told, stop].map(named).join(''),
  ],
  [
    'messages',
    'no event names',
    [begun, block(''), words(first), words(second), closed, told, stop].map(data).join(''),
  ],
  [
    'messages',
    'text in content_block_start',
    [begun, block(first), words(second), closed, told, stop].map(named).join(''),
  ],
  [
    'messages',
    'unknown events',
    [
      begun,
      { type: 'news' },
      block(''),
      words(first),
      { type: 'content_block_delta', index: 0, delta: { type: 'news' } },
      words(second),
      closed,
      told,
      stop,
    ]
      .map(named)
      .join(''),
  ],
  ['messages', 'no last event', [begun, block(''), words(first), words(second), closed, told].map(named).join('')],
  [
    'messages',
    'a byte order mark',
    `\ufeff${[begun, block(''), words(first), words(second), closed, told, stop].map(named).join('')}`,
  ],
  [
    'messages',
    'lines that end in CRLF',
    [begun, block(''), words(first), words(second), closed, told, stop].map(named).join('').replaceAll('\n', '\r\n'),
  ],
  [
    'messages',
    'pings and comments',
    `: hello\n\n${[{ type: 'ping' }, begun, block(''), words(first), { type: 'ping' }, words(''), words(second), closed, { type: 'ping' }, told, stop].map(named).join('')}`,
  ],
  [
    'messages',
    'events after the end',
    [begun, block(''), words(first), words(second), closed, told, stop, { type: 'ping' }].map(named).join(''),
  ],
  [
    'messages',
    'the end marker of another format',
    [begun, block(''), words(first), words(second), closed, told].map(named).join('') + ended,
  ],
  ['gemini', 'as it should be', candidate(first) + candidate(second, 'STOP', { usageMetadata })],
  ['gemini', 'usage after the end', candidate(first) + candidate(second, 'STOP') + data({ usageMetadata })],
  ['gemini', 'a finish reason in every chunk', candidate(first, 'STOP') + candidate(second, 'STOP', { usageMetadata })],
  ['gemini', 'the end mark of another format', candidate(first) + candidate(second, 'STOP', { usageMetadata }) + ended],
  ['gemini', 'a byte order mark', `\ufeff${candidate(first)}${candidate(second, 'STOP', { usageMetadata })}`],
  [
    'gemini',
    'lines that end in CRLF',
    (candidate(first) + candidate(second, 'STOP', { usageMetadata })).replaceAll('\n', '\r\n'),
  ],
  [
    'gemini',
    'pieces without text',
    candidate('') +
      candidate(first) +
      data({ candidates: [{ index: 0 }] }) +
      candidate(second) +
      candidate('', 'STOP', { usageMetadata }),
  ],
  ['gemini', 'no blank line at the end', (candidate(first) + candidate(second, 'STOP', { usageMetadata })).trimEnd()],
  [
    'gemini',
    'usage in every chunk',
    candidate(first, undefined, { usageMetadata: { ...usageMetadata, candidatesTokenCount: 1 } }) +
      candidate(second, 'STOP', { usageMetadata }),
  ],
  ['responses', 'as it should be', [created, piece(first), piece(second), itemDone, completed].map(named).join('')],
  [
    'responses',
    'a byte order mark',
    `\ufeff${[created, piece(first), piece(second), itemDone, completed].map(named).join('')}`,
  ],
  [
    'responses',
    'lines that end in CRLF',
    [created, piece(first), piece(second), itemDone, completed].map(named).join('').replaceAll('\n', '\r\n'),
  ],
  [
    'responses',
    'the end marker of another format',
    [created, piece(first), piece(second), itemDone, completed].map(named).join('') + ended,
  ],
  [
    'responses',
    'unknown events',
    [created, { type: 'keepalive' }, piece(first), { type: 'response.news' }, piece(second), itemDone, completed]
      .map(named)
      .join(''),
  ],
  ['responses', 'no first event', [piece(first), piece(second), itemDone, completed].map(named).join('')],
  ['responses', 'no end of its items', [created, piece(first), piece(second), completed].map(named).join('')],
  ['responses', 'items that are told whole', [created, itemDone, completed].map(named).join('')],
  ['responses', 'nothing but the whole', [created, completed].map(named).join('')],
  [
    'responses',
    'text of no item',
    [created, { type: 'response.output_text.delta', delta: first + second }, completed].map(named).join(''),
  ],
];

/** What a client of each format reads: words, how often it heard of an end, and the tokens it was told last. */
interface Heard {
  text: string;
  finishes: number;
  tokens: unknown;
}

const readers: Record<WireFormat, (event: Json, heard: Heard) => void> = {
  chat: ({ choices, usage: counted }, heard) => {
    for (const { delta, finish_reason } of choices as { delta: Json; finish_reason: unknown }[]) {
      heard.text += delta.content ?? '';
      if (finish_reason) heard.finishes += 1;
    }
    if (counted) heard.tokens = (counted as Json).completion_tokens;
  },
  messages: (event, heard) => {
    const { type, delta, content_block: opened, usage: counted } = event as Record<string, Json | undefined>;
    heard.text += opened?.text ?? delta?.text ?? '';
    if ((type as unknown) === 'message_delta') heard.tokens = counted?.output_tokens;
    if ((type as unknown) === 'message_stop') heard.finishes += 1;
  },
  gemini: ({ candidates = [], usageMetadata: counted }, heard) => {
    for (const one of candidates as { content?: { parts: Json[] }; finishReason?: string }[]) {
      for (const part of one.content?.parts ?? []) heard.text += part.text;
      if (one.finishReason) heard.finishes += 1;
    }
    if (counted) heard.tokens = (counted as Json).candidatesTokenCount;
  },
  responses: ({ type, delta, response: whole }, heard) => {
    if (type === 'response.output_text.delta') heard.text += delta;
    if (type !== 'response.completed') return;
    heard.finishes += 1;
    heard.tokens = ((whole as Json).usage as Json).output_tokens;
  },
};

function follow(upstream: WireFormat, client: WireFormat, pieces: Uint8Array[]): Heard & { last: string } {
  const stream = new RelayStream({
    ...{ client, upstream, decode: kinds[upstream].decoder(), model: 'public/name', id: 'x', created: 1 },
    ...{ includeUsage: true, onPlainText: () => {} },
  });
  const out = [...pieces.map((bytes) => stream.push(bytes)), stream.end().tail].filter((bytes) => bytes !== null);
  // As readers do that know no other end of a line.
  const lines = Buffer.concat(out).toString().split('\n');
  expect(lines.filter((line) => line.trimEnd().includes('\r'))).toEqual([]);
  const events = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
  const heard: Heard = { text: '', finishes: 0, tokens: undefined };
  for (const event of events) if (event !== '[DONE]') readers[client](JSON.parse(event), heard);
  return { ...heard, last: events.at(-1) === '[DONE]' ? '[DONE]' : '' };
}

/** Pieces of one letter would take long and show no more than every place for a single cut. */
const cutsOf = (bytes: Uint8Array): Uint8Array[][] =>
  Array.from({ length: bytes.length }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]).filter(
    (_, at) => at % 3 === 0,
  );

describe.each(streams)('a stream of %s, %s', (upstream, what, text) => {
  // What passes as it came has its events as they were.
  const clients = (Object.keys(kinds) as WireFormat[]).filter(
    (client) => client !== upstream || !/every chunk|whole|no item/.test(what) || upstream === 'chat',
  );

  test.each(clients)('for a %s client', (client) => {
    const wanted = { text: first + second, finishes: 1, tokens: 2, last: client === 'chat' ? '[DONE]' : '' };
    for (const pieces of cutsOf(Buffer.from(text)))
      expect([pieces[0]!.length, follow(upstream, client, pieces)]).toEqual([pieces[0]!.length, wanted]);
  });
});
