import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseFrame, type SseEvent, SseFramer, SseOverflow, SseParser, sseData, sseEvent, ssePing } from './sse.ts';

const encoder = new TextEncoder();

function read(bytes: Uint8Array, cuts: number[]): SseEvent[] {
  const parser = new SseParser();
  const events: SseEvent[] = [];
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    events.push(...parser.push(bytes.subarray(at, cut)));
    at = cut;
  }
  events.push(...parser.push(bytes.subarray(at)), ...parser.end());
  return events;
}

describe('SseParser', () => {
  test('reads events with LF, CRLF and CR line endings', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['event: a', 'data: 1', '', ': note', 'data: 2', 'data: 3', 'id: x', '', ''].join(end);
      expect(read(encoder.encode(text), [])).toEqual([
        { event: 'a', data: '1' },
        { event: '', data: '2\n3', id: 'x' },
      ]);
    }
  });

  test('removes only one space after the colon; accepts fields without a colon and a byte order mark', () => {
    expect(read(encoder.encode('\uFEFFdata:  two\n\ndata\n\ndata:none\n\n'), [])).toEqual([
      { event: '', data: ' two' },
      { event: '', data: '' },
      { event: '', data: 'none' },
    ]);
  });

  test('a last event without a blank line counts; comments alone do not', () => {
    expect(read(encoder.encode('data: a\n\n: ping\n\ndata: [DONE]'), [])).toEqual([
      { event: '', data: 'a' },
      { event: '', data: '[DONE]' },
    ]);
    expect(parseFrame(encoder.encode(ssePing))).toBeUndefined();
  });

  test('any chunking yields the same events and the same bytes', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((s) => `data: ${s.replace(/[\r\n]/g, '')}`),
      fc.constantFrom('event: x', ': comment', 'id: 7', 'data', '', ''),
    );
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const body = fc
      .array(fc.tuple(line, end), { maxLength: 30 })
      .map((all) => all.map((pair) => pair.join('')).join(''));
    fc.assert(
      fc.property(body, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
        const bytes = encoder.encode(text);
        const inside = cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
        expect(read(bytes, inside)).toEqual(read(bytes, []));
        const framer = new SseFramer();
        const parts: Uint8Array[] = [];
        let at = 0;
        for (const cut of [...inside, bytes.length]) {
          parts.push(...framer.push(bytes.slice(at, cut)));
          at = cut;
        }
        parts.push(framer.end());
        expect(Buffer.concat(parts).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('an event over the size limit is rejected, not stored', () => {
    const parser = new SseParser(100);
    expect(() => parser.push(encoder.encode(`data: ${'x'.repeat(200)}`))).toThrow(SseOverflow);
  });

  test('parses what the encoders write', () => {
    expect(read(encoder.encode(sseData('{"a":1}') + ssePing + sseEvent('e', '{}')), [3, 9, 12])).toEqual([
      { event: '', data: '{"a":1}' },
      { event: 'e', data: '{}' },
    ]);
  });
});
