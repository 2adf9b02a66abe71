import { expect, test } from 'bun:test';
import { withOwnFiles } from './own-files.ts';

const paper = Buffer.from('%PDF-1.7 …');
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');
const kept: Record<string, Buffer> = {
  paper,
  picture,
  note: Buffer.from('Tea at four.'),
  bytes: Buffer.from([1, 0, 2]),
};
const mebibyte = 1024 * 1024;

/** Of user 1; `large-…` are as large as their name says. */
const fileOf = async (userId: number, id: string) => {
  const large = /^large-(\d+)/.exec(id);
  if (userId !== 1 || !(large || kept[id])) return null;
  const content = kept[id] ?? Buffer.from('x');
  return {
    ...{ filename: `${id}.bin`, bytes: large ? Number(large[1]) * mebibyte : content.length },
    content: async () => new Uint8Array(content),
  };
};
let grown = 0;
const grow = (bytes: number) => {
  grown += bytes;
};
const filled = (items: unknown, userId = 1): Promise<unknown> => withOwnFiles({ fileOf }, userId, items, grow);
const named = (file_id: string) => ({ type: 'file', file: { file_id } });
const source = (file_id: string) => ({ type: 'file', file_id });
const base64 = (media_type: string, data: Buffer) => ({ type: 'base64', media_type, data: data.toString('base64') });
const url = (type: string, data: Buffer): string => `data:${type};base64,${data.toString('base64')}`;

test.each([
  [
    'a PDF in chat',
    named('paper'),
    { type: 'file', file: { filename: 'paper.bin', file_data: url('application/pdf', paper) } },
  ],
  ['text in chat', named('note'), { type: 'text', text: 'note.bin\n\nTea at four.' }],
  [
    'a PDF in responses',
    { type: 'input_file', file_id: 'paper' },
    { type: 'input_file', filename: 'paper.bin', file_data: url('application/pdf', paper) },
  ],
  [
    'an image in responses',
    { type: 'input_image', file_id: 'picture', detail: 'low' },
    { type: 'input_image', detail: 'low', image_url: url('image/png', picture) },
  ],
  [
    'an image in messages',
    { type: 'image', source: source('picture') },
    { type: 'image', source: base64('image/png', picture) },
  ],
  [
    'text in messages',
    { type: 'document', title: 't', source: source('note') },
    { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'Tea at four.' } },
  ],
  [
    'another file type in messages',
    { type: 'document', source: source('bytes') },
    { type: 'document', source: base64('application/octet-stream', kept.bytes!) },
  ],
])('%s', async (_, part, becomes) => {
  const around = (inner: object) => [{ role: 'user', content: [{ type: 'text', text: 'Look:' }, inner] }];
  expect(await filled(around(part))).toEqual(around(becomes));
  const within = (inner: object) => [{ role: 'user', content: [{ type: 'tool_result', content: [inner] }] }];
  expect(await filled(within(part))).toEqual(within(becomes));
});

test('requests without files, or with files of others, are not changed', async () => {
  const items = [
    { role: 'user', content: [named('paper'), named('file-of-a-vendor'), { type: 'toString' }] },
    null,
    'a',
  ];
  expect(await filled(items, 2)).toBe(items);
  for (const other of ['text', undefined, 7]) expect(await filled(other)).toBe(other);
});

test('too many files, or too large in total, are rejected', async () => {
  const many = (count: number, mebibytes: number) =>
    Array.from({ length: count }, (_, n) => named(`large-${mebibytes}-${n}`));
  await expect(filled(many(21, 0))).rejects.toThrow('at most 20 files');
  await expect(filled(many(3, 9))).rejects.toThrow('may have at most');
  await expect(filled(Array(25).fill(named('large-1')))).rejects.toThrow('may have at most');
  grown = 0;
  expect(await filled(many(20, 1))).toHaveLength(20);
  expect(grown).toBe(20 * mebibyte);
});

test('a deeply nested request is handled', async () => {
  let items: unknown[] = [named('paper')];
  for (let depth = 0; depth < 100_000; depth += 1) items = [{ content: items }];
  expect(await filled(items)).toBe(items);
});
