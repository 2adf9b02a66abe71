import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { openAuthenticator, type Quirks } from './authenticator.fixture.ts';
import { cookieOf, dataOf, halfOf, password, post, secondStep } from './factors.fixture.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const origin = 'https://svc.example';
let t: TestApp;
beforeAll(async () => {
  // Which address a request names says nothing about whose passkeys these are.
  t = await openTestApp({ clock, env: { WEB_URL: origin } });
  await t.setOption('RateLimitEnabled', false);
});
afterAll(() => t.close());

type Device = ReturnType<typeof openAuthenticator>;
type Options = { challenge: string };

async function add(member: Member, device: Device, quirks: Quirks = {}, name = 'Telephone'): Promise<Response> {
  const options = await dataOf<Options>(post(member, '/api/user/passkeys/options', { password }));
  return post(member, '/api/user/passkeys', { name, response: device.create(options, quirks) });
}
async function someone() {
  const [member, device] = [await t.user(), openAuthenticator(origin)];
  const added = await dataOf<{ passkey: { id: number }; recovery_codes: string[] }>(add(member, device));
  return { ...member, device, passkeyId: added.passkey.id, recoveryCodes: added.recovery_codes };
}
const challenge = () => dataOf<Options>(post(t, '/api/user/login/passkey/options'));
const enter = async (device: Device, quirks: Quirks = {}, options?: Options) =>
  post(t, '/api/user/login/passkey', { response: device.get(options ?? (await challenge()), quirks) });

describe('a passkey', () => {
  test('is registered with the password, and comes with recovery codes when it is the first factor', async () => {
    const member = await t.user();
    expect((await post(member, '/api/user/passkeys/options')).status).toBe(400);
    const device = openAuthenticator(origin);
    const added = await dataOf<{ passkey: object; recovery_codes: string[] }>(add(member, device));
    expect(added.passkey).toMatchObject({ name: 'Telephone', last_used_at: null });
    expect(added.recovery_codes).toHaveLength(10);
    expect((await add(member, device)).status).toBe(409);
    const second = await dataOf<object>(add(member, openAuthenticator(origin)));
    expect(second).not.toHaveProperty('recovery_codes');
  });

  test.each<[string, Quirks]>([
    ['of another site', { origin: 'https://evil.example' }],
    ['for another site', { rpId: 'evil.example' }],
    ['that looked at nobody', { verified: false }],
    ['of a challenge that nobody set', { challenge: 'bm9ib2R5IHNldCB0aGlz' }],
  ])('%s is neither registered nor let in', async (_, quirks) => {
    expect((await add(await t.user(), openAuthenticator(origin), quirks)).status).toBe(400);
    const { device } = await someone();
    expect((await enter(device, quirks)).status).toBe(401);
  });

  test('lets in without a name or a password, and the session has both factors', async () => {
    const { id, device } = await someone();
    const entered = await enter(device);
    expect(await dataOf(entered.clone())).toMatchObject({ id });
    const headers = { cookie: cookieOf(entered) };
    expect((await t.call('/api/user/recovery-codes', { method: 'POST', headers })).status).toBe(200);
  });

  test('answers a challenge once, soon, and for what it was set', async () => {
    const member = await someone();
    const options = await challenge();
    const response = member.device.get(options);
    const tries = Array.from({ length: 8 }, () => post(t, '/api/user/login/passkey', { response }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
    const late = await challenge();
    clock.advance(301_000);
    expect((await enter(member.device, {}, late)).status).toBe(401);
    const other = await dataOf<Options>(post(member, '/api/user/step-up/passkey/options'));
    expect((await enter(member.device, {}, other)).status).toBe(401);
  });

  test('is of whom the device says it is, or of nobody', async () => {
    const [member, other] = [await someone(), await someone()];
    expect((await enter(member.device, { userHandle: `${member.id}` })).status).toBe(200);
    expect((await enter(member.device, { userHandle: `${other.id}` })).status).toBe(401);
  });

  test('whose counter goes back is a copy', async () => {
    const { device } = await someone();
    expect((await enter(device, { counter: 9 })).status).toBe(200);
    expect((await enter(device, { counter: 9 })).status).toBe(401);
    expect((await enter(device, { counter: 10 })).status).toBe(200);
  });

  test('is unknown, or of somebody who is disabled: nobody gets in', async () => {
    expect((await enter(openAuthenticator(origin))).status).toBe(401);
    const { id, device } = await someone();
    const root = await t.root();
    await root.call(`/api/admin/users/${id}`, { method: 'PUT', body: { status: 2 } });
    expect((await enter(device)).status).toBe(403);
  });

  test('is a second factor: the password alone lets nobody in, a recovery code does', async () => {
    const { username, recoveryCodes } = await someone();
    const half = await halfOf(t, username);
    expect((await secondStep(t, half, '123456')).status).toBe(401);
    expect((await secondStep(t, half, recoveryCodes[0]!)).status).toBe(200);
  });

  test('proves again who it is, and nobody else’s does', async () => {
    const [member, other] = [await someone(), await someone()];
    clock.advance(601_000);
    const act = () => post(member, '/api/user/recovery-codes');
    expect(await (await act()).json()).toMatchObject({
      code: 'step_up_required',
      methods: ['passkey', 'recovery_code'],
    });
    const begin = () => dataOf<Options>(post(member, '/api/user/step-up/passkey/options'));
    const prove = async (device: Device) =>
      post(member, '/api/user/step-up/passkey', { response: device.get(await begin()) });
    expect((await prove(other.device)).status).toBe(400);
    expect((await act()).status).toBe(403);
    expect((await prove(member.device)).status).toBe(200);
    expect((await act()).status).toBe(200);
  });

  test('is named and removed by its owner only; with the last the recovery codes go', async () => {
    const [member, other] = [await someone(), await someone()];
    const path = `/api/user/passkeys/${member.passkeyId}`;
    expect((await other.call(path, { method: 'PUT', body: { name: 'Mine' } })).status).toBe(404);
    expect((await other.call(path, { method: 'DELETE' })).status).toBe(404);
    const named = await dataOf(member.call(path, { method: 'PUT', body: { name: 'Old telephone' } }));
    expect(named).toMatchObject({ name: 'Old telephone' });
    expect((await member.call(path, { method: 'DELETE' })).status).toBe(200);
    expect(await dataOf(member.call('/api/user/security'))).toEqual({
      ...{ totp_since: null, recovery_codes_left: 0, passkeys: [], methods: [], required: false },
    });
    expect((await enter(member.device)).status).toBe(401);
  });
});
