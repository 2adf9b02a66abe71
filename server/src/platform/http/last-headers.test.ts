import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { LastHeaders } from './last-headers.ts';

const names = fc.constantFrom(
  'x-request-id',
  'ratelimit-remaining',
  'set-cookie',
  'retry-after',
  'x-svc-cost',
  '__proto__',
);
const answers = fc.array(fc.dictionary(names, fc.stringMatching(/^[a-z0-9]{1,4}$/), { maxKeys: 6 }), { maxLength: 20 });

test('every response has and keeps its own headers, none of an earlier one', () => {
  fc.assert(
    fc.property(answers, (all) => {
      const last = new LastHeaders();
      const made = all.map((values) => new Response('', { headers: last.of(values) }));
      made.forEach((response, i) => {
        response.headers.delete('content-type');
        expect([...response.headers].sort()).toEqual([...new Headers(all[i])].sort());
      });
    }),
  );
});

test('an invalid header value is rejected, and the next response is complete', () => {
  const last = new LastHeaders();
  expect(() => last.of({ a: '1', b: 'x\r\ny: z' })).toThrow();
  expect([...last.of({ a: '2', c: '3' })]).toEqual([
    ['a', '2'],
    ['c', '3'],
  ]);
});
