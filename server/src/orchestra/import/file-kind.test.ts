import { expect, test } from 'bun:test';
import type { Fault, FileFault } from './faults.ts';
import { decodeText, kindOfFile } from './file-kind.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('reads text in UTF-8 and UTF-16, with byte order marks and any line endings', () => {
  const text = '# Größe\r\n\r\nÜber 😀.\r';
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  for (const bytes of [bytesOf(text), bytesOf(`\ufeff${text}`), little, Buffer.from(little).swap16()]) {
    expect(kindOfFile(bytes)).toBe('text');
    expect(decodeText(bytes)).toBe('# Größe\n\nÜber 😀.\n');
  }
});

test('the file type is determined by its content', () => {
  expect(kindOfFile(bytesOf('%PDF-1.4 …'))).toBe('pdf');
  expect(kindOfFile(bytesOf('\n\nsome bytes before %PDF-1.4'))).toBe('pdf');
  const cases: [Fault, Uint8Array][] = [
    ['archive', Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0])],
    ['not_text', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])],
    ['not_unicode', Uint8Array.from(Buffer.from('Gr\xf6\xdfe', 'latin1'))],
    ['not_unicode', Uint8Array.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00])],
    ['not_text', bytesOf('text with a \0 in it')],
    ['not_text', Uint8Array.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0x00])],
    ['empty', new Uint8Array(0)],
  ];
  for (const [fault, bytes] of cases) {
    let said = '';
    try {
      kindOfFile(bytes);
      decodeText(bytes);
    } catch (error) {
      said = (error as FileFault).fault;
    }
    expect([fault, said]).toEqual([fault, fault]);
  }
});
