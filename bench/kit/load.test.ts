import { expect, test } from 'bun:test';
import { p99Ms } from './load.ts';

const printed = (slowest: string) => `
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   626.77us    2.27ms  25.17ms   94.43%
    Req/Sec    71.31k    21.78k   98.84k    54.55%
  Latency Distribution
     50%   81.00us
     75%  120.00us
     90%    1.14ms
     99%   ${slowest}
  77891 requests in 1.10s, 8.69MB read
`;

test.each([
  ['812.00us', 0.812],
  ['12.24ms', 12.24],
  ['1.50s', 1500],
  ['1.10m', 66_000],
])('a 99th percentile of %s is read with its unit', (slowest, milliseconds) => {
  expect(p99Ms(printed(slowest))).toBeCloseTo(milliseconds, 6);
});

test('a run without a percentile is not counted as fast', () => {
  expect(() => p99Ms('unable to connect')).toThrow();
});
