import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../app.fixture.ts';
import { makeAdministrator } from '../identity/administrator.ts';
import { roles } from '../identity/user.ts';
import { manualClock } from '../lib/clock.ts';
import type { CodeView } from './views.ts';

const path = '/api/admin/redemption-codes';
const clock = manualClock(Date.UTC(2026, 0, 15, 12));
let t: TestApp;
let root: Member;

beforeAll(async () => {
  t = await openTestApp({ clock });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(() => t.close());

async function make(order: object, by = root): Promise<CodeView[]> {
  const answer = await by.call(path, { method: 'POST', body: order });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { codes: CodeView[] } }).data.codes;
}
const one = async (order: object, by = root): Promise<CodeView> => (await make(order, by))[0]!;
const redeem = (by: Member, code: string, headers: Record<string, string> = {}) =>
  by.call('/api/user/redemptions', { method: 'POST', body: { code }, headers });
const balance = async (by: Member): Promise<number> =>
  ((await (await by.call('/api/user/self')).json()) as { data: { quota: number } }).data.quota;

async function administrator(name: string): Promise<Member> {
  const account = { username: name, role: roles.administrator, password: rootPassword };
  await makeAdministrator(t.app.identity.accounts, account);
  const login = { username: name, password: rootPassword };
  const answer = await t.call('/api/user/login', { method: 'POST', body: login });
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
  const { data } = (await answer.json()) as { data: { id: number } };
  return {
    ...{ id: data.id, username: name, cookie, key: async () => '' },
    call: (to, init = {}) => t.call(to, { ...init, headers: { cookie, ...init.headers } }),
  };
}

describe('redemption codes', () => {
  test('a code credits its value once per user', async () => {
    const { code } = await one({ quota: 1_000, uses: 5, note: 'spring' });
    const user = await t.user();
    const answer = await redeem(user, code);
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: object };
    expect(data).toMatchObject({ kind: 'grant', amount: 1_000, balance_after: 1_000, actor_id: root.id });
    expect((await redeem(user, code)).status).toBe(409);
    expect(await balance(user)).toBe(1_000);
    expect((await redeem(await t.user(), code.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
  });

  test('a code with several uses is not used more often, even concurrently', async () => {
    const { code, id } = await one({ quota: 10, uses: 3 });
    const users = await Promise.all(Array.from({ length: 12 }, () => t.user()));
    const answers = await Promise.all(users.map((user) => redeem(user, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
    const balances = await Promise.all(users.map(balance));
    expect(balances.reduce((a, b) => a + b, 0)).toBe(30);
    const listed = (await (await root.call(path)).json()) as { data: { codes: CodeView[] } };
    expect(listed.data.codes.find((row) => row.id === id)).toMatchObject({ uses: 3, used: 3 });
  });

  test('a user cannot redeem a code twice with concurrent requests', async () => {
    const { code, id } = await one({ quota: 10, uses: 20 });
    const user = await t.user();
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(user, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await balance(user)).toBe(10);
    const listed = (await (await root.call(path)).json()) as { data: { codes: CodeView[] } };
    expect(listed.data.codes.find((row) => row.id === id)).toMatchObject({ used: 1 });
  });

  test('redeeming again with the same Idempotency-Key returns the first response', async () => {
    const { code } = await one({ quota: 10 });
    const user = await t.user();
    const key = { 'idempotency-key': 'redeem-1' };
    const first = await (await redeem(user, code, key)).json();
    expect(await (await redeem(user, code, key)).json()).toEqual(first);
    expect(await balance(user)).toBe(10);
  });

  test('expired, disabled and unknown codes are rejected with the same message', async () => {
    const now = Math.floor(clock.nowMs() / 1000);
    const late = await one({ quota: 10, expires_at: now + 60 });
    const gone = await one({ quota: 10 });
    const withdraw = (status: number) => root.call(`${path}/${gone.id}`, { method: 'PUT', body: { status } });
    expect((await withdraw(2)).status).toBe(200);
    clock.advance(61_000);
    const user = await t.user();
    const words = [];
    for (const code of [late.code, gone.code, '00000-00000-00000-00000', 'nonsense']) {
      const answer = await redeem(user, code);
      expect(answer.status).toBe(400);
      words.push(((await answer.json()) as { message: string }).message);
    }
    expect(new Set(words).size).toBe(1);
    await withdraw(1);
    expect((await redeem(user, gone.code)).status).toBe(200);
  });

  test('a code is shown once and is not stored in plain text', async () => {
    const { code } = await one({ quota: 10, note: 'shown once' });
    const listed = await (await root.call(path)).text();
    expect(listed).not.toContain(code);
    expect(listed).toContain(code.slice(-4));
    const rows = await t.platform.database.db.selectFrom('redemption_codes').selectAll().execute();
    const stored = JSON.stringify(rows);
    for (const text of [code, code.replaceAll('-', '')]) expect(stored).not.toContain(text);
  });
});

test('guessing codes is rate limited per user', async () => {
  const { code } = await one({ quota: 10, uses: 2 });
  const user = await t.user();
  let last = await redeem(user, 'nonsense');
  for (let i = 0; i < 25 && last.status !== 429; i += 1) last = await redeem(user, 'nonsense');
  expect(last.status).toBe(429);
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await redeem(user, code)).status).toBe(429);
  expect((await redeem(await t.user(), code)).status).toBe(200);
});

test('administrators cannot give credits to themselves or to each other', async () => {
  const [first, second] = [await administrator('codes-first'), await administrator('codes-second')];
  const theirs = await one({ quota: 10, uses: 5 }, first);
  expect((await redeem(first, theirs.code)).status).toBe(403);
  expect((await redeem(second, theirs.code)).status).toBe(403);
  expect((await redeem(await t.user(), theirs.code)).status).toBe(200);
  const roots = await one({ quota: 10, uses: 5 });
  expect((await redeem(first, roots.code)).status).toBe(200);
});

test('only administrators can create codes, within limits', async () => {
  const user = await t.user();
  expect((await user.call(path, { method: 'POST', body: { quota: 1 } })).status).toBe(403);
  expect((await user.call(path)).status).toBe(403);
  const wrong = [
    { quota: 0 },
    { quota: -1 },
    { quota: 1, count: 1_001 },
    { quota: 1, uses: 0 },
    { quota: 1, expires_at: 1 },
  ];
  for (const body of wrong) expect((await root.call(path, { method: 'POST', body })).status).toBe(400);
  const many = await make({ quota: 7, count: 100 });
  expect(new Set(many.map(({ code }) => code)).size).toBe(100);
});

test('created codes can be exported as CSV, masked', async () => {
  const { code, id } = await one({ quota: 123, note: '=HYPERLINK("x")' });
  const answer = await root.call(`${path}?format=csv`);
  expect(answer.headers.get('content-type')).toStartWith('text/csv');
  const lines = (await answer.text()).trim().split('\r\n');
  expect(lines[0]).toBe('id,code,quota,uses,used,status,note,made_by,expires_at,created_at');
  const line = lines.find((text) => text.startsWith(`${id},`))!;
  expect(line).toContain(`${code.slice(-4)},123,1,0,1,"'=HYPERLINK(""x"")"`);
  expect(line).not.toContain(code);
});

test('the audit log records who created and who redeemed codes', async () => {
  const made = await one({ quota: 55, note: 'audited' });
  const user = await t.user();
  await redeem(user, made.code);
  const answer = await root.call('/api/admin/audit?page_size=10');
  const text = await answer.text();
  expect(text).toContain('codes_made');
  expect(text).toContain('code_redeemed');
  expect(text).not.toContain(made.code);
});
