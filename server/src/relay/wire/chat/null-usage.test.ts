import { describe, expect, test } from 'bun:test';
import { openaiKind } from '../../providers/openai.ts';
import { RelayStream } from '../relay-stream.ts';
import { parseChatRequest } from './request.ts';

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const choice = (delta: object, finish: string | null = null) => [{ index: 0, delta, finish_reason: finish }];
const head = { id: 'c', object: 'chat.completion.chunk', created: 7, model: 'up' };
const orders = {
  last: (choices: object) => ({ ...head, choices, usage: null }),
  first: (choices: object) => ({ usage: null, ...head, choices }),
  'in the middle': (choices: object) => ({ ...head, choices, usage: null, obfuscation: 'x' }),
  'before the model': (choices: object) => ({ choices, usage: null, ...head }),
};
const texts = ['a', 'b "usage":null, c', 'd,"usage":null', 'é'.repeat(300), 'e'];
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

function relayed(order: (choices: object) => object, includeUsage: boolean, size: number): string {
  const frames = [
    frame(order(choice({ role: 'assistant', content: '' }))),
    ...texts.map((content) => frame(order(choice({ content })))),
    frame(order(choice({ tool_calls: [{ index: 0, id: 't', function: { name: 'f', arguments: '{}' } }] }))),
    frame(order(choice({}, 'stop'))),
    frame({ ...head, choices: [], usage }),
    'data: [DONE]\n\n',
  ];
  const stream = new RelayStream({
    client: 'chat',
    upstream: 'chat',
    decode: openaiKind.decoder(),
    model: 'public/name',
    id: 'x',
    created: 1,
    includeUsage,
    onPlainText: () => {},
  });
  const bytes = new TextEncoder().encode(frames.join(''));
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size)
    out.push(new Uint8Array(stream.push(bytes.slice(at, at + size)) ?? new Uint8Array()));
  return Buffer.concat(out).toString();
}

const chunksOf = (out: string) =>
  out
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'))
    .map(
      (text) =>
        JSON.parse(text.slice(6)) as { model: string; usage?: unknown; choices: { delta: { content?: string } }[] },
    );

describe.each(Object.keys(orders) as (keyof typeof orders)[])('usage: null, written %s', (place) => {
  test.each([37, 1_000, 100_000])('is removed from chunks if usage was not requested; chunk size %i', (size) => {
    const chunks = chunksOf(relayed(orders[place], false, size));
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([]);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(texts.join(''));
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['public/name']));
  });

  test('stays if usage was requested, and the last chunk has the count', () => {
    const chunks = chunksOf(relayed(orders[place], true, 1_000));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });
});

test.each([
  [{ stream_options: { include_usage: true } }, true],
  [{ usage: { include: true } }, true],
  [{ usage: { include: true }, stream_options: {} }, true],
  [{ usage: { include: true }, stream_options: { include_usage: false } }, false],
  [{ usage: { include: false } }, false],
  [{ usage: null }, false],
])('%j requests usage: %p', (body, asks) => {
  const messages = [{ role: 'user', content: 'hi' }];
  const given = parseChatRequest({ model: 'm', messages, stream: true, ...body });
  expect(given.includeUsage).toBe(asks);
  const sent = (baseUrl: string) =>
    JSON.parse(openaiKind.toUpstream(given, { baseUrl, credential: '', modelName: 'm' }).body as string);
  // Only OpenRouter knows the word; OpenAI refuses a request that has it.
  expect(sent('https://api.openai.com/v1')).not.toContainKey('usage');
  expect(sent('https://openrouter.ai/api/v1').usage).toEqual((body as { usage?: object }).usage as object);
});
