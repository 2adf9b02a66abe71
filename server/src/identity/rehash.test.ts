import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';

const password = 'a fine password';
let t: TestApp;
let imported: string;
beforeAll(async () => {
  t = await openTestApp();
  await t.setOption('RateLimitEnabled', false);
  imported = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 });
});
afterAll(() => t.close());

const login = (username: string, given = password) =>
  t.call('/api/user/login', { method: 'POST', body: { username, password: given } });
const users = () => t.platform.database.db;
const hashOf = async ({ id }: Pick<Member, 'id'>): Promise<string> =>
  (await users().selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirstOrThrow())
    .password_hash;
const setHash = ({ id }: Pick<Member, 'id'>, password_hash: string) =>
  users().updateTable('users').set({ password_hash }).where('id', '=', id).execute();
const isOurs = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

/** Somebody with a password of another service, and a session from before. */
const someone = async (hash = imported): Promise<Member> => {
  const member = await t.user();
  await setHash(member, hash);
  return member;
};

test.each([
  ['bcrypt', { algorithm: 'bcrypt', cost: 4 }],
  ['a weaker argon2id', { algorithm: 'argon2id', memoryCost: 8_192, timeCost: 1 }],
  ['argon2i', { algorithm: 'argon2i', memoryCost: 19_456, timeCost: 2 }],
] as const)('%s is rehashed at the next login, and sessions stay valid', async (_, cost) => {
  const member = await someone(await Bun.password.hash(password, cost));
  expect((await login(member.username)).status).toBe(200);
  const hash = await hashOf(member);
  expect(hash).toMatch(isOurs);
  expect((await member.call('/api/user/self')).status).toBe(200);
  expect((await login(member.username)).status).toBe(200);
  expect(await hashOf(member)).toBe(hash);
  expect((await login(member.username, 'another password')).status).toBe(401);
});

test('a wrong password, or a disabled user’s correct one, does not change the hash', async () => {
  const member = await someone();
  expect((await login(member.username, 'wrong')).status).toBe(401);
  await users().updateTable('users').set({ status: 2 }).where('id', '=', member.id).execute();
  expect((await login(member.username)).status).toBe(403);
  expect(await hashOf(member)).toBe(imported);
});

test('concurrent logins all succeed', async () => {
  const member = await someone();
  const answers = await Promise.all(Array.from({ length: 8 }, () => login(member.username)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(await hashOf(member)).toMatch(isOurs);
});

test('a password changed during the login stays changed, and the old one is rejected', async () => {
  const member = await someone();
  const { hash } = Bun.password;
  const changed = await hash('yet another password', { algorithm: 'bcrypt', cost: 4 });
  Bun.password.hash = async (...given) => {
    Bun.password.hash = hash;
    await setHash(member, changed);
    return hash(...given);
  };
  try {
    expect((await login(member.username)).status).toBe(401);
  } finally {
    Bun.password.hash = hash;
  }
  expect(await hashOf(member)).toBe(changed);
});
