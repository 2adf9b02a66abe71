import { expect, test } from 'bun:test';
import { type Line, linesOf } from './jsonl.ts';

const mark = '\ufeff';
const pieces = (bytes: Uint8Array, size: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
async function read(bytes: Uint8Array, size: number, most = 1_000): Promise<Line[]> {
  const found: Line[] = [];
  for await (const line of linesOf(pieces(bytes, size), most)) found.push(line);
  return found;
}

const lines = ['{"a":1}', '{"é":"\u2028"}', '{}'];
const endings: [string, string][] = [
  ['a newline after each', `${lines.join('\n')}\n`],
  ['no newline at the end', lines.join('\n')],
  ['CRLF', `${lines.join('\r\n')}\r\n`],
  ['CRLF and none at the end', lines.join('\r\n')],
  ['blank lines everywhere', `\n\r\n \n${lines.join('\n\n\r\n\t\n')}\n\n\r\n`],
];

for (const beginning of ['', mark])
  for (const size of [1, 2, 3, 5, 1_000])
    test.each(endings)(
      `%s, ${beginning ? 'with' : 'without'} a byte-order mark, in chunks of ${size}`,
      async (_, text) => {
        const bytes = Buffer.from(beginning + text);
        const found = await read(bytes, size);
        expect(found.map((line) => JSON.stringify(JSON.parse(line.bytes!.toString())))).toEqual(lines);
        // Where it is in the file is where it is read again.
        for (const { first, last, bytes: line } of found)
          expect(bytes.subarray(first, last + 1).equals(line!)).toBe(true);
        expect(found[0]!.number).toBe(text.startsWith('\n') ? 4 : 1);
      },
    );

test('a file of nothing but a mark or white space has no lines', async () => {
  for (const text of ['', mark, `${mark}\r\n`, '\n\n', ' \r\n\t'])
    for (const size of [1, 100]) expect(await read(Buffer.from(text), size)).toEqual([]);
});

test('a mark within a file is part of its line', async () => {
  const [, second] = await read(Buffer.from(`{}\n${mark}{}`), 4);
  expect(second!.bytes!.toString()).toBe(`${mark}{}`);
});

test('a line of the allowed length is read after a mark as well', async () => {
  expect((await read(Buffer.from(`${mark}12345\n12345`), 3, 5)).map(({ bytes }) => bytes?.toString())).toEqual([
    '12345',
    '12345',
  ]);
  expect((await read(Buffer.from(`${mark}123456\n12345`), 3, 5)).map(({ bytes }) => bytes?.length)).toEqual([
    undefined,
    5,
  ]);
});
