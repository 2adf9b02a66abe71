import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, rootPassword, type TestApp } from '../app.fixture.ts';

let service: TestApp;
let member: Member;

beforeAll(async () => {
  service = await openTestApp({ env: { TRUSTED_PROXIES: '127.0.0.1', OPENID_CONNECT: '1' } });
  member = await service.user();
});
afterAll(() => service.close());

/** A caller at that address, as the proxy before us tells. */
const from = (ip: string) => ({ 'x-forwarded-for': ip });
const passwords = (n: number) => `wrong password ${n}`;
const put = (password: string, ip: string) =>
  member.call('/api/user/self', {
    method: 'PUT',
    headers: from(ip),
    body: { password: 'another fine password', current_password: password },
  });

/** Every place that asks for a password, each as a guess from an address. */
const guesses: Record<string, (password: string, ip: string) => Promise<Response>> = {
  login: (password, ip) =>
    service.call('/api/user/login', { method: 'POST', headers: from(ip), body: { username: 'root', password } }),
  'login with the name in upper case': (password, ip) =>
    service.call('/api/user/login', { method: 'POST', headers: from(ip), body: { username: 'ROOT', password } }),
  'password change': put,
  'account deletion': (password, ip) =>
    member.call('/api/user/self', { method: 'DELETE', headers: from(ip), body: { password } }),
};

/** The nth address of a household: whoever has a /64 has all of these. */
const household = (prefix: string) => (n: number) => `${prefix}:${n}:${n * 7}:a:${n + 1}`;

describe.each(Object.keys(guesses))('password guesses by %s', (place) => {
  const guess = guesses[place]!;
  const net = Object.keys(guesses).indexOf(place);

  test('are counted per IPv6 /64, not per address', async () => {
    const address = household(`2001:db8:${net}:1`);
    const answers: number[] = [];
    for (let n = 1; n <= 11; n += 1) answers.push((await guess(passwords(n), address(n))).status);
    expect(answers.slice(0, 10).filter((status) => status === 429)).toEqual([]);
    expect(answers[10]).toBe(429);
    expect((await guess(passwords(12), household(`2001:db8:${net}:2`)(1))).status).not.toBe(429);
  });

  test('are counted per IPv4 address, in any notation', async () => {
    const written = [`192.0.2.${net}`, `::ffff:192.0.2.${net}`, `::ffff:c000:20${net}`, `::FFFF:C000:020${net}`];
    const answers: number[] = [];
    for (let n = 0; n < 11; n += 1) answers.push((await guess(passwords(n), written[n % written.length]!)).status);
    expect(answers[9]).not.toBe(429);
    expect(answers[10]).toBe(429);
    expect((await guess(passwords(12), `192.0.2.${net + 100}`)).status).not.toBe(429);
  });
});

test('a correct password resets the count', async () => {
  const ip = '2001:db8:99::1';
  for (let n = 1; n <= 9; n += 1) await guesses.login!(passwords(n), ip);
  for (let n = 1; n <= 3; n += 1) expect((await guesses.login!(rootPassword, ip)).status).toBe(200);
});

/** Limits of calls that nobody signed in for are counted under the address, each by its own option. */
const limited: [option: string, path: string, body: unknown][] = [
  ['RateLimitApi', '/api/user/register', {}],
  ['RateLimitOAuthToken', '/api/oauth2/token', {}],
  ['RateLimitOAuthPushed', '/api/oauth2/par', {}],
  ['RateLimitOAuthDevice', '/api/oauth2/device_authorization', {}],
  ['RateLimitOAuthRevoke', '/api/oauth2/revoke', {}],
  ['RateLimitOAuthIntrospect', '/api/oauth2/introspect', {}],
  ['RateLimitV1', '/v1/chat/completions', {}],
];
test.each(limited)('%s is counted per IPv6 /64', async (option, path, body) => {
  await service.setOption(option, 3);
  const address = household('2001:db8:50:1');
  const call = (n: number) => service.call(path, { method: 'POST', headers: from(address(n)), body });
  const answers: number[] = [];
  for (let n = 1; n <= 8; n += 1) answers.push((await call(n)).status);
  await service.setOption(option, 10_000);
  // Eight within one window or two: more than three of them pass only where each address counts for itself.
  expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
});
