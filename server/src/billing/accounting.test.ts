import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';
import { usdText } from './accounting-csv.ts';

const clock = manualClock(Date.UTC(2026, 0, 31, 23, 59));
const path = '/api/admin/accounting';
let t: TestApp;
let root: Member;
let user: Member;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  t = await openTestApp({ clock });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  user = await t.user('Somebody.Else');
  upstream = scriptedUpstream(() =>
    Response.json({
      ...{ id: 'c', object: 'chat.completion', created: 1 },
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      choices: [{ index: 0, message: { role: 'assistant', content: 'so it is' }, finish_reason: 'stop' }],
    }),
  );
  await addUpstream(t, upstream.url, [{ model_id: 'm', prompt_price: 100, completion_price: 100 }]);
});
afterAll(async () => {
  await upstream.close();
  await t.close();
});

const give = (quota: number) => root.call(`/api/admin/users/${user.id}/credits`, { method: 'POST', body: { quota } });

async function ask(): Promise<void> {
  const answer = await t.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${await user.key()}` },
    body: { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'is it so?' }] },
  });
  expect(answer.status).toBe(200);
}

async function linesOf(query: string): Promise<string[][]> {
  const answer = await root.call(`${path}?${query}`);
  expect(answer.headers.get('content-type')).toStartWith('text/csv');
  const [, ...lines] = (await answer.text()).trim().split('\r\n');
  return lines.map((line) => line.split(',')).filter(([, id]) => id === `${user.id}`);
}

/** Three plus four tokens at a hundred dollars per million. */
const cost = 350;

test('a month reports its exact usage and credits', async () => {
  await give(1_000_001);
  await give(-1);
  await ask();
  await ask();
  clock.advance(120_000);
  await ask();
  await give(5);
  await until('all of it is written', async () => (await linesOf('from=2026-01&to=2026-02')).length === 2);
  expect(await linesOf('from=2026-01&to=2026-02')).toEqual([
    ...[
      [
        '2026-01',
        `${user.id}`,
        'Somebody.Else',
        '2',
        '6',
        '8',
        `${2 * cost}`,
        '0.001400',
        '1000001',
        '2.000002',
        '1',
        '0.000002',
        'Somebody.Else',
      ],
    ],
    ...[
      [
        '2026-02',
        `${user.id}`,
        'Somebody.Else',
        '1',
        '3',
        '4',
        `${cost}`,
        '0.000700',
        '5',
        '0.000010',
        '0',
        '0.000000',
        'Somebody.Else',
      ],
    ],
  ]);
  expect(await linesOf('from=2026-02')).toHaveLength(1);
  expect(await linesOf('from=2026-03')).toHaveLength(0);
});

test('the totals match the balance', async () => {
  const lines = await linesOf('from=2026-01&to=2026-02');
  const sum = (column: number) => lines.reduce((total, line) => total + Number(line[column]), 0);
  const self = (await (await user.call('/api/user/self')).json()) as { data: { quota: number } };
  expect(sum(8) - sum(10) - sum(6)).toBe(self.data.quota);
});

describe('the request', () => {
  test.each(['', 'from=2026', 'from=2026-13', 'from=2026-02&to=2026-01', 'from=2020-01&to=2026-01'])(
    '%p is rejected',
    async (query) => {
      expect((await root.call(`${path}?${query}`)).status).toBe(400);
    },
  );

  test('requires an administrator', async () => {
    expect((await user.call(`${path}?from=2026-01`)).status).toBe(403);
  });
});

test.each([
  [0, '0.000000'],
  [1, '0.000002'],
  [499_999, '0.999998'],
  [500_000, '1.000000'],
  [-750_000, '-1.500000'],
  [Number.MAX_SAFE_INTEGER, '18014398509.481982'],
])('%p quota units are %p dollars', (quota, text) => {
  expect(usdText(quota)).toBe(text);
});
