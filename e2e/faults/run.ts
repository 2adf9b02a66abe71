/**
 * `npm run test:faults`: causes every fault the service must survive, and prints a table of what happened.
 * With SVC_LONG=1 the outages last 10 s and the process is killed 200 times.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePostgres, prepareRedis } from '../../scripts/services.ts';
import { type Row, render } from './table.ts';

/** Rows covered by ordinary tests: those in these files whose titles match. */
interface Shown {
  fault: string;
  expected: string;
  files: string[];
  names: RegExp;
}

const relay = 'e2e/relay-faults.test.ts';
const shown: Shown[] = [
  {
    fault: 'upstream 429 with and without Retry-After; 500; permanent 503; 401 with a bad credential',
    expected: 'next candidate; if none is left, the right status without the upstream’s secret details',
    files: [relay],
    names: /gives (429|500|503|401|an error|HTML)/,
  },
  {
    fault: 'connection refused, reset, no answer, 20 s to the first token',
    expected: 'next candidate within the channel’s timeout',
    files: [relay],
    names: /gives (connection|no answer|20 s|an empty)/,
  },
  {
    fault: 'stream cut after 40 of 60 chunks; stall in mid-stream',
    expected: 'error chunk, stream closed, charged for what was produced, breaker counts a failure',
    files: [relay],
    names: /breaks in the middle/,
  },
  {
    fault: 'context-length 400, content-filter 400',
    expected: 'passed to the caller at once, not counted as a provider failure',
    files: [relay],
    names: /to blame/,
  },
  {
    fault: '5 failures in a row on one candidate',
    expected: 'circuit opens; after 60 s half-open; 3 successes close it; one failure opens it again',
    files: [relay, 'server/src/routing/breaker.test.ts'],
    names: /circuit|five|half|open|close/i,
  },
  {
    fault: 'client leaves before the first byte; after it',
    expected: 'upstream cancelled; nothing charged; the produced part charged',
    files: [relay],
    names: /client that leaves/,
  },
  {
    fault: 'slow client (reads 1 KB/s) with a fast upstream',
    expected: 'memory stays bounded (back-pressure), other clients unaffected',
    files: [relay],
    names: /slow reader/,
  },
  {
    fault: 'SIGKILL with active video jobs and runs, then restart; two processes on PostgreSQL, one killed',
    expected: 'interrupted runs and video jobs continue; the other process takes over those of the dead one',
    files: ['e2e/video-crash.test.ts', 'e2e/autonomous-takeover.test.ts', 'e2e/autonomous-chaos.test.ts'],
    names: /./,
  },
  {
    fault: 'malformed JSON, wrong types, huge numbers, deep nesting, NUL bytes, invalid UTF-8, 100,000-item arrays',
    expected: '4xx in the endpoint’s error format, never 5xx',
    files: ['e2e/relay-input.test.ts', 'e2e/fuzz/sqlite.test.ts', 'e2e/fuzz/postgres.test.ts'],
    names: /./,
  },
];

const own = ['database', 'stall', 'redis', 'signals', 'takeover', 'stopped', 'disk', 'mcp-sessions'].map(
  (name) => `e2e/faults/${name}.test.ts`,
);
const work = await mkdtemp(join(tmpdir(), 'svc-faults-'));
const rowsFile = join(work, 'rows');
const report = join(work, 'report.xml');
const [postgres, redis] = await Promise.all([preparePostgres(), prepareRedis()]);

const files = [...own, 'e2e/scale-out.test.ts', ...new Set(shown.flatMap((row) => row.files))].filter(existsSync);
const child = Bun.spawn(
  [process.execPath, 'test', '--timeout=120000', '--reporter=junit', `--reporter-outfile=${report}`, ...files],
  {
    env: {
      ...process.env,
      SVC_FAULT_ROWS: rowsFile,
      ...(postgres.url && { DATABASE_URL_TEST: postgres.url }),
      ...(redis.url && { REDIS_URL_TEST: redis.url }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  },
);
const code = await child.exited;
await Promise.all([postgres.stop(), redis.stop()]);
const read = (path: string) =>
  Bun.file(path)
    .text()
    .catch(() => '');
const seen = (await read(rowsFile))
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row);
console.log(render([...rowsShown(await read(report)), ...seen]));
await rm(work, { recursive: true, force: true });
console.log(code === 0 ? 'every fault was survived' : 'some tests failed; see above');
process.exit(code);

/** A test of the report, with the names of its groups. */
interface Case {
  file: string;
  name: string;
  failed: boolean;
  skipped: boolean;
}

function casesOf(xml: string): Case[] {
  const decode = (text: string) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  return [...xml.matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, attributes = '', , inner = '']) => {
      const of = (name: string) => decode(new RegExp(` ?${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
      return {
        file: of('file'),
        name: `${of('classname')} ${of('name')}`,
        failed: /<(failure|error)/.test(inner),
        skipped: inner.includes('<skipped'),
      };
    },
  );
}

function rowsShown(xml: string): Row[] {
  const cases = casesOf(xml);
  return shown.map(({ fault, expected, files: from, names }) => {
    const mine = cases.filter((one) => from.includes(one.file) && names.test(one.name) && !one.skipped);
    const failed = mine.filter((one) => one.failed).map((one) => one.name.trim());
    const where = from.map((file) => file.replace(/^.*\//, '')).join(', ');
    const outcome = mine.length === 0 ? 'NOT RUN' : failed.length > 0 ? `FAILED: ${failed.join('; ')}` : 'as expected';
    return { fault, expected, seen: `${outcome} (${mine.length - failed.length} of ${mine.length} tests in ${where})` };
  });
}
