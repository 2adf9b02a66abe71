import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import type { Fault } from './faults.ts';
import { FileFault } from './faults.ts';
import { importLimits } from './limits.ts';
import { pdfOf } from './pdf.fixture.ts';
import { readPassages } from './read-file.ts';

const never = new AbortController().signal;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const faultOf = (bytes: Uint8Array, limits: Partial<typeof importLimits> = {}): Promise<Fault | string> =>
  readPassages(bytes, never, { ...importLimits, ...limits } as typeof importLimits).then(
    (passages) => `${passages.length} passages`,
    (error) => (error instanceof FileFault ? error.fault : String(error)),
  );

describe('reading a file in its own thread', () => {
  test('a PDF is read page by page, with lines joined to paragraphs', async () => {
    const pdf = pdfOf([
      {
        paragraphs: [['The harbour has twelve ber-', 'ths and a lighthouse', 'in the north.'], ['Boats pay (yearly).']],
      },
      { paragraphs: [] },
      { paragraphs: [['Winter rules.']] },
    ]);
    expect(await readPassages(pdf, never)).toEqual([
      {
        content: 'The harbour has twelve berths and a lighthouse in the north.\n\nBoats pay (yearly).',
        page: 1,
        heading: null,
      },
      { content: 'Winter rules.', page: 3, heading: null },
    ]);
  });

  test('a PDF that cannot be imported is rejected with the reason', async () => {
    const encrypted = '/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (';
    const locked = `${encrypted}${'o'.repeat(32)}) /U (${'u'.repeat(32)}) >> /ID [(a) (b)]`;
    const cases: [Fault, Uint8Array][] = [
      ['encrypted', pdfOf([{ paragraphs: [['secret']] }], locked)],
      ['damaged', pdfOf([{ paragraphs: [['cut off']] }]).slice(0, 300)],
      ['no_text', pdfOf([{ paragraphs: [] }, { paragraphs: [] }])],
    ];
    for (const [fault, bytes] of cases) expect([fault, await faultOf(bytes)]).toEqual([fault, fault]);
  });

  test('a PDF with too many pages or too large when unpacked, even nested, is rejected', async () => {
    const many = pdfOf(Array.from({ length: 5 }, () => ({ paragraphs: [['a page']] })));
    expect(await faultOf(many, { pages: 4 as never })).toBe('too_many_pages');
    const little = { allocationBytes: (2 * 1024 * 1024) as never };
    const bomb = deflateSync(Buffer.alloc(8 * 1024 * 1024, 0x20));
    expect(await faultOf(pdfOf([{ content: bomb }]), little)).toBe('too_much');
    const twice = { content: deflateSync(bomb), filter: '[/FlateDecode /FlateDecode]' };
    expect(await faultOf(pdfOf([twice]), little)).toBe('too_much');
  });

  test('a file that takes too much time or memory is stopped', async () => {
    const busy = bytesOf('# a\n\nword word.\n\n'.repeat(200_000));
    expect(await faultOf(busy, { readingMs: 1 as never, passages: 1_000_000 as never })).toBe('too_slow');
    expect(await faultOf(busy, { growthBytes: -1e12 as never, passages: 1_000_000 as never })).toBe('too_much');
    const leaving = AbortSignal.abort(new Error('stopped'));
    await expect(readPassages(busy, leaving)).rejects.toThrow('stopped');
  });
});
