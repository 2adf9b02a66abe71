import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { findTotp, resealTotp } from '../store/factors.ts';
import {
  codeAt,
  cookieOf,
  dataOf,
  type Enrolled,
  enrol,
  halfOf,
  password,
  post,
  secondStep,
} from './factors.fixture.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const step = 30_000;
let t: TestApp;
beforeAll(async () => {
  t = await openTestApp({ clock });
  await t.setOption('RateLimitEnabled', false);
});
afterAll(() => t.close());

async function someone(): Promise<Member & Enrolled> {
  const member = await t.user();
  const enrolled = await enrol(t, member);
  clock.advance(step);
  return { ...member, ...enrolled };
}
const codeOf = ({ secret }: Enrolled) => codeAt(secret, clock.nowMs());
const statusesOf = async (answers: Promise<Response>[]) => (await Promise.all(answers)).map(({ status }) => status);

describe('turning on an authenticator app', () => {
  test('requires the password and a first code', async () => {
    const member = await t.user();
    expect((await post(member, '/api/user/totp')).status).toBe(400);
    expect((await post(member, '/api/user/totp', { password: 'not the password' })).status).toBe(400);
    const answer = await post(member, '/api/user/totp', { password });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret, uri } = await dataOf<{ secret: string; uri: string }>(answer);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toStartWith('otpauth://totp/localhost:');
    expect((await post(member, '/api/user/totp/confirm', { code: '000000' })).status).toBe(400);
    // Nothing is asked for until then.
    expect((await post(t, '/api/user/login', { username: member.username, password })).status).toBe(200);
    const confirmed = await post(member, '/api/user/totp/confirm', { code: codeAt(secret, clock.nowMs()) });
    const { recovery_codes } = await dataOf<{ recovery_codes: string[] }>(confirmed);
    expect(new Set(recovery_codes).size).toBe(10);
    expect((await post(member, '/api/user/totp', { password })).status).toBe(409);
    const security = await dataOf(member.call('/api/user/security'));
    expect(security).toMatchObject({ recovery_codes_left: 10, methods: ['totp', 'recovery_code'] });
  });

  test('an unconfirmed secret expires, and attempts to guess it are limited', async () => {
    const member = await t.user();
    const offer = () => dataOf<{ secret: string }>(post(member, '/api/user/totp', { password }));
    const confirm = (code: string) => post(member, '/api/user/totp/confirm', { code });
    const { secret } = await offer();
    const right = codeAt(secret, clock.nowMs());
    const wrong = right === '000000' ? '111111' : '000000';
    const tries = [];
    for (let tried = 0; tried < 10; tried += 1) tries.push((await confirm(wrong)).status);
    expect(tries).toEqual(Array.from({ length: 10 }, () => 400));
    expect([(await confirm(wrong)).status, (await confirm(right)).status]).toEqual([429, 429]);
    const other = await t.user();
    const { secret: kept } = await dataOf<{ secret: string }>(post(other, '/api/user/totp', { password }));
    clock.advance(1_800_000);
    expect((await post(other, '/api/user/totp/confirm', { code: codeAt(kept, clock.nowMs()) })).status).toBe(404);
    await enrol(t, other);
  });

  test('secrets are stored encrypted or hashed, and appear in no later response, export or log', async () => {
    const member = await someone();
    const { db } = t.platform.database;
    const rows = [
      ...(await db.selectFrom('totp').selectAll().where('user_id', '=', member.id).execute()),
      ...(await db.selectFrom('recovery_codes').selectAll().where('user_id', '=', member.id).execute()),
    ];
    const root = await t.root();
    const told = [
      JSON.stringify(rows),
      await (await member.call('/api/user/security')).text(),
      await (await member.call('/api/user/self/export')).text(),
      await (await root.call('/api/admin/audit?page_size=100')).text(),
    ].join('\n');
    for (const secret of [member.secret, ...member.recoveryCodes]) expect(told).not.toContain(secret);
    expect(told).toContain('totp_enabled');
  });
});

describe('logging in with an authenticator app', () => {
  test('asks for the code after the password, without a session before', async () => {
    const member = await someone();
    const first = await post(t, '/api/user/login', { username: member.username, password });
    expect(first.status).toBe(202);
    expect(await dataOf(first.clone())).toEqual({ second_factor: { methods: ['totp', 'recovery_code'] } });
    expect(first.headers.get('set-cookie')).toContain('HttpOnly; SameSite=Strict');
    const half = cookieOf(first);
    const value = half.split('=')[1]!;
    for (const cookie of [half, `svc_session=${value}`])
      expect((await t.call('/api/user/self', { headers: { cookie } })).status).toBe(401);
    expect((await secondStep(t, half, '123456')).status).toBe(401);
    expect((await secondStep(t, 'svc_sign_in=made-up', codeOf(member))).status).toBe(401);
    const second = await secondStep(t, half, codeOf(member));
    expect(second.status).toBe(200);
    const self = await t.call('/api/user/self', { headers: { cookie: cookieOf(second) } });
    expect(await dataOf(self)).toMatchObject({ id: member.id });
  });

  test('a code works once, even in fifty concurrent attempts', async () => {
    const member = await someone();
    await t.setOption('RateLimitEnabled', false);
    const halves = await Promise.all(Array.from({ length: 5 }, () => halfOf(t, member.username)));
    const tries = await statusesOf(Array.from({ length: 50 }, (_, i) => secondStep(t, halves[i % 5]!, codeOf(member))));
    expect(tries.filter((status) => status === 200)).toHaveLength(1);
    expect(tries.every((status) => [200, 401, 429].includes(status))).toBe(true);
  });

  test('a code older than the last used one is rejected', async () => {
    const member = await someone();
    const old = codeAt(member.secret, clock.nowMs() - step);
    expect((await secondStep(t, await halfOf(t, member.username), codeOf(member))).status).toBe(200);
    expect((await secondStep(t, await halfOf(t, member.username), old)).status).toBe(401);
  });

  test('a recovery code works once, in any way of typing it', async () => {
    const member = await someone();
    const code = member.recoveryCodes[3]!.toUpperCase().replaceAll('-', ' ');
    const halves = await Promise.all(Array.from({ length: 5 }, () => halfOf(t, member.username)));
    const tries = await statusesOf(halves.map((half) => secondStep(t, half, code)));
    expect(tries.toSorted()).toEqual([200, 401, 401, 401, 401]);
    expect(await dataOf(member.call('/api/user/security'))).toMatchObject({ recovery_codes_left: 9 });
  });

  test('after too many wrong codes from any address, the right code is rejected', async () => {
    const member = await someone();
    const half = await halfOf(t, member.username);
    const tries = await statusesOf(Array.from({ length: 12 }, () => secondStep(t, half, 'wrong code')));
    expect(tries.filter((status) => status === 401)).toHaveLength(10);
    const late = await secondStep(t, half, codeOf(member));
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '900']);
  });

  test('a pending login is short-lived, works once, and ends when the password changes', async () => {
    const member = await someone();
    const half = await halfOf(t, member.username);
    clock.advance(301_000);
    expect((await secondStep(t, half, codeOf(member))).status).toBe(401);
    const other = await halfOf(t, member.username);
    expect((await secondStep(t, other, codeOf(member))).status).toBe(200);
    expect((await secondStep(t, other, member.recoveryCodes[0]!)).status).toBe(401);
    const third = await halfOf(t, member.username);
    const body = { password: 'another fine password', current_password: password };
    expect((await member.call('/api/user/self', { method: 'PUT', body })).status).toBe(200);
    expect((await secondStep(t, third, member.recoveryCodes[1]!)).status).toBe(401);
  });

  test('successes and failures are in the audit log', async () => {
    const member = await someone();
    const half = await halfOf(t, member.username);
    await secondStep(t, half, 'wrong code');
    await secondStep(t, half, codeOf(member));
    const root = await t.root();
    await t.app.identity.accounts.audit.flush();
    const { logs } = await dataOf<{ logs: { action: string; metadata: object }[] }>(
      root.call(`/api/admin/audit?target=${member.username}&page_size=10`),
    );
    const told = logs.map(({ action, metadata }) => ({ action, metadata }));
    expect(told).toContainEqual({
      action: 'login_failed',
      metadata: { reason: 'wrong_credentials', step: 'second_factor' },
    });
    expect(told).toContainEqual({ action: 'login_succeeded', metadata: { second_factor: 'totp' } });
  });
});

describe('turning off an authenticator app', () => {
  test('requires a fresh factor and removes the recovery codes', async () => {
    const member = await someone();
    clock.advance(601_000);
    const off = () => member.call('/api/user/totp', { method: 'DELETE' });
    const refused = await off();
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'step_up_required', methods: ['totp', 'recovery_code'] });
    expect((await post(member, '/api/user/step-up', { code: 'wrong' })).status).toBe(400);
    expect((await post(member, '/api/user/step-up', { code: codeOf(member) })).status).toBe(200);
    expect((await off()).status).toBe(200);
    expect(await dataOf(member.call('/api/user/security'))).toEqual({
      totp_since: null,
      recovery_codes_left: 0,
      passkeys: [],
      methods: [],
      required: false,
    });
    expect((await post(t, '/api/user/login', { username: member.username, password })).status).toBe(200);
  });

  test('new recovery codes replace the old ones', async () => {
    const member = await someone();
    const { recovery_codes } = await dataOf<{ recovery_codes: string[] }>(post(member, '/api/user/recovery-codes'));
    const half = await halfOf(t, member.username);
    expect((await secondStep(t, half, member.recoveryCodes[0]!)).status).toBe(401);
    expect((await secondStep(t, half, recovery_codes[0]!)).status).toBe(200);
    const plain = await t.user();
    expect((await post(plain, '/api/user/recovery-codes')).status).toBe(409);
  });

  test('a closed account keeps none of its factors', async () => {
    const member = await someone();
    await halfOf(t, member.username);
    expect((await member.call('/api/user/self', { method: 'DELETE', body: { password } })).status).toBe(200);
    const { db } = t.platform.database;
    for (const table of ['totp', 'recovery_codes', 'one_time_secrets'] as const)
      expect(await db.selectFrom(table).selectAll().where('user_id', '=', member.id).execute()).toEqual([]);
  });
});

test('after the key was lost, people are told what works, and a recovery code does', async () => {
  const { id, username, secret, recoveryCodes } = await someone();
  const { db } = t.platform.database;
  const elsewhere = openSealer({ keys: [{ id: 'lost', key: new Uint8Array(32) }] }).seal(secret);
  await db.updateTable('totp').set({ secret: elsewhere }).where('user_id', '=', id).execute();
  const half = await halfOf(t, username);
  const refused = await secondStep(t, half, codeAt(secret, clock.nowMs()));
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { message: expect.stringContaining('recovery code') },
  ]);
  expect((await secondStep(t, half, recoveryCodes[0]!)).status).toBe(200);
  await db.deleteFrom('totp').where('user_id', '=', id).execute();
});

test('a secret offered under a lost key is offered again', async () => {
  const member = await t.user();
  await post(member, '/api/user/totp', { password });
  const { db } = t.platform.database;
  const elsewhere = openSealer({ keys: [{ id: 'lost', key: new Uint8Array(32) }] }).seal('x');
  await db.updateTable('totp').set({ secret: elsewhere }).where('user_id', '=', member.id).execute();
  expect((await post(member, '/api/user/totp/confirm', { code: '123456' })).status).toBe(404);
  await enrol(t, member);
});

// The last: this service does not know the new key.
test('secrets are re-encrypted with a new key', async () => {
  const { id } = await someone();
  const keys = [{ id: 'new', key: new Uint8Array(32) }, ...t.platform.sealingKeys];
  const { reseal } = openSealer({ keys });
  const { db } = t.platform.database;
  expect(await resealTotp(db, reseal)).toBeGreaterThan(0);
  expect((await findTotp(db, id))!.secret).toStartWith('s1.new.');
  expect(await resealTotp(db, reseal)).toBe(0);
});
