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

describe('passkeys', () => {
  test('registration requires the password, and the first factor comes with recovery codes', async () => {
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

  test('of several first passkeys at once, one comes with recovery codes, and they work', async () => {
    for (let round = 0; round < 5; round++) {
      const member = await t.user();
      const begun = await Promise.all(
        Array.from({ length: 4 }, () => dataOf<Options>(post(member, '/api/user/passkeys/options', { password }))),
      );
      const devices = begun.map((options) => ({ device: openAuthenticator(origin), options }));
      const added = await Promise.all(
        devices.map(({ device, options }) =>
          dataOf<{ recovery_codes?: string[] }>(
            post(member, '/api/user/passkeys', { name: 'one', response: device.create(options, {}) }),
          ),
        ),
      );
      const shown = added.flatMap(({ recovery_codes }) => (recovery_codes ? [recovery_codes] : []));
      expect(shown).toHaveLength(1);
      expect((await secondStep(t, await halfOf(t, member.username), shown[0]![3]!)).status).toBe(200);
    }
  });

  test('registrations that began before do not exceed the limit', async () => {
    const member = await someone();
    const begun = await Promise.all(
      Array.from({ length: 25 }, () => dataOf<Options>(post(member, '/api/user/passkeys/options', {}))),
    );
    const ended = begun.map((options) =>
      post(member, '/api/user/passkeys', { name: 'more', response: openAuthenticator(origin).create(options, {}) }),
    );
    const statuses = (await Promise.all(ended)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(19);
    expect(statuses.filter((status) => status === 409)).toHaveLength(6);
  });

  test.each<[string, Quirks]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another site', { rpId: 'evil.example' }],
    ['without user verification', { verified: false }],
    ['with an unknown challenge', { challenge: 'bm9ib2R5IHNldCB0aGlz' }],
  ])('a passkey %s is rejected at registration and login', async (_, quirks) => {
    expect((await add(await t.user(), openAuthenticator(origin), quirks)).status).toBe(400);
    const { device } = await someone();
    expect((await enter(device, quirks)).status).toBe(401);
  });

  test('logs in without username and password, and the session has both factors', async () => {
    const { id, device } = await someone();
    const entered = await enter(device);
    expect(await dataOf(entered.clone())).toMatchObject({ id });
    const headers = { cookie: cookieOf(entered) };
    expect((await t.call('/api/user/recovery-codes', { method: 'POST', headers })).status).toBe(200);
  });

  test('a challenge works once, expires, and is valid only for its purpose', async () => {
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

  test('a passkey with the user handle of another user is rejected', async () => {
    const [member, other] = [await someone(), await someone()];
    expect((await enter(member.device, { userHandle: `${member.id}` })).status).toBe(200);
    expect((await enter(member.device, { userHandle: `${other.id}` })).status).toBe(401);
  });

  test('a passkey whose counter does not increase is rejected as a copy', async () => {
    const { device } = await someone();
    expect((await enter(device, { counter: 9 })).status).toBe(200);
    expect((await enter(device, { counter: 9 })).status).toBe(401);
    expect((await enter(device, { counter: 10 })).status).toBe(200);
  });

  test('an unknown passkey, or one of a disabled user, is rejected', async () => {
    expect((await enter(openAuthenticator(origin))).status).toBe(401);
    const { id, device } = await someone();
    const root = await t.root();
    await root.call(`/api/admin/users/${id}`, { method: 'PUT', body: { status: 2 } });
    expect((await enter(device)).status).toBe(403);
  });

  test('a passkey is a second factor: the password is not enough, but a recovery code works', async () => {
    const { username, recoveryCodes } = await someone();
    const half = await halfOf(t, username);
    expect((await secondStep(t, half, '123456')).status).toBe(401);
    expect((await secondStep(t, half, recoveryCodes[0]!)).status).toBe(200);
  });

  test('step-up accepts only the user’s own passkey', async () => {
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

  test('a passkey is renamed and removed only by its owner; removing the last one removes the recovery codes', async () => {
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
