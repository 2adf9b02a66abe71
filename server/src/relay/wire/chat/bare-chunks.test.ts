/** Servers that leave out of a chunk what its format requires. */
import { expect, test } from 'bun:test';
import { openaiKind } from '../../providers/openai.ts';
import type { Json } from '../conversation.ts';
import { RelayStream } from '../relay-stream.ts';

const complete = { id: 'c', object: 'chat.completion.chunk', created: 7, model: 'up' };

function relayed(chunks: Json[]): Json[] {
  const stream = new RelayStream({
    ...{ client: 'chat', upstream: 'chat', decode: openaiKind.decoder(), model: 'public/name', id: 'made', created: 5 },
    ...{ includeUsage: true, onPlainText: () => {} },
  });
  const frames = [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
  const out = [...frames.map((frame) => stream.push(Buffer.from(frame))), stream.end().tail];
  return Buffer.concat(out.filter((bytes) => bytes !== null))
    .toString()
    .split('\n\n')
    .flatMap((frame) => (frame.startsWith('data: {') ? [JSON.parse(frame.slice(6)) as Json] : []));
}

const pieces = [{ content: 'a' }, { content: 'b' }, { content: 'c' }];
const finish = { index: 0, delta: {}, finish_reason: 'stop' };
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const streamOf = (head: Json): Json[] => [
  ...pieces.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
  { ...head, choices: [finish] },
  { ...head, choices: [], usage },
];

test.each(Object.keys(complete))('every chunk has its %s', (name) => {
  const { [name as 'id']: _, ...head } = complete;
  const made: Json = { ...complete, id: 'made', created: 5, model: 'public/name' };
  const wanted = { ...complete, model: 'public/name', [name]: made[name] };
  const chunks = relayed(streamOf(head));
  expect(chunks).toHaveLength(5);
  for (const chunk of chunks) expect(chunk).toMatchObject(wanted);
});

test('so it is if chunks have nothing but their choices', () => {
  const chunks = relayed(streamOf({}));
  expect(chunks).toHaveLength(5);
  for (const chunk of chunks)
    expect(chunk).toMatchObject({ ...complete, id: 'made', created: 5, model: 'public/name' });
});

test('choices have an index: their place', () => {
  const choices = [{ delta: { content: 'a' } }, { delta: { content: 'b' }, index: 1 }];
  const ends = [
    { delta: {}, finish_reason: 'stop' },
    { ...finish, index: 1 },
  ];
  const chunks = relayed([
    { ...complete, choices },
    { ...complete, choices: ends },
  ]);
  expect(chunks.map((chunk) => (chunk.choices as Json[]).map(({ index }) => index))).toEqual([
    [0, 1],
    [0, 1],
  ]);
});
