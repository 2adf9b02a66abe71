import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { manualClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { dataOf, password, post } from '../factors/factors.fixture.ts';
import { verifyEmail } from './recovery.ts';
import { type Inbox, openInbox } from './smtp.fixture.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const another = 'another fine password';
let inbox: Inbox;
let t: TestApp;
let root: Member;
let made = 0;
beforeAll(async () => {
  inbox = await openInbox();
  t = await openTestApp({ clock, env: { SMTP_URL: inbox.url, MAIL_FROM: 'svc <svc@svc.example>' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(async () => {
  await t?.close();
  await inbox?.close();
});

const tokenIn = (text: string): string => /#([A-Za-z0-9]{48})/.exec(text)![1]!;
const mailsTo = (address: string) => inbox.mails.filter(({ to }) => to === address);
async function newest(address: string, count: number): Promise<string> {
  await until('the mail has come', () => mailsTo(address).length >= count);
  return tokenIn(mailsTo(address).at(-1)!.text);
}
const verify = (by: Pick<Member, 'call'>, token: string) => post(by, '/api/user/email/verify', { token });
const reset = (token: string) => post(t, '/api/user/password/reset', { token, password: another });
const login = (username: string, secret: string) => post(t, '/api/user/login', { username, password: secret });

async function someone(address?: string): Promise<Member & { email: string }> {
  made += 1;
  const email = address ?? `someone-${made}@mail.example`;
  const member = await t.user();
  await member.call('/api/user/self', { method: 'PUT', body: { email } });
  return { ...member, email };
}
async function verified(): Promise<Member & { email: string }> {
  const member = await someone();
  await post(member, '/api/user/email/verification', { password });
  expect((await verify(member, await newest(member.email, 1))).status).toBe(200);
  return member;
}

describe('email verification', () => {
  test('a link works once, for a day, and only for the address it was sent to', async () => {
    const member = await someone();
    // It can reset the password later, so the password is asked for.
    const wrong = { password: 'not the password' };
    expect((await post(member, '/api/user/email/verification', wrong)).status).toBe(400);
    expect((await post(member, '/api/user/email/verification', { password })).status).toBe(200);
    const first = await newest(member.email, 1);
    await post(member, '/api/user/email/verification', { password });
    const second = await newest(member.email, 2);
    expect((await verify(member, first)).status).toBe(400);
    const tries = (await Promise.all([1, 2, 3].map(() => verify(member, second)))).map(({ status }) => status);
    expect(tries.sort()).toEqual([200, 400, 400]);
    expect(await dataOf(member.call('/api/user/self'))).toMatchObject({ email_verified: true });
    expect((await post(member, '/api/user/email/verification', { password })).status).toBe(409);

    const moved = await someone();
    await post(moved, '/api/user/email/verification', { password });
    const old = await newest(moved.email, 1);
    await moved.call('/api/user/self', { method: 'PUT', body: { email: 'elsewhere@mail.example' } });
    expect((await verify(moved, old)).status).toBe(400);

    const late = await someone();
    await post(late, '/api/user/email/verification', { password });
    const token = await newest(late.email, 1);
    clock.advance(86_401_000);
    expect((await verify(late, token)).status).toBe(400);
  });

  test('requires being logged in to the account that requested the link', async () => {
    const mallory = await someone('victim@mail.example');
    await post(mallory, '/api/user/email/verification', { password });
    const token = await newest(mallory.email, 1);
    const isVerified = async () =>
      (await dataOf<{ email_verified: boolean }>(mallory.call('/api/user/self'))).email_verified;
    const victim = await someone();
    for (const [by, status] of [
      [t, 401],
      [victim, 403],
      [root, 403],
    ] as const) {
      expect((await verify(by, token)).status).toBe(status);
      expect(await isVerified()).toBe(false);
    }
    expect((await dataOf<{ email_verified: boolean }>(victim.call('/api/user/self'))).email_verified).toBe(false);
    // It is as good as before for whom it was made.
    expect((await verify(mallory, token)).status).toBe(200);
    expect(await isVerified()).toBe(true);
  });

  test('of several accounts with one address, the first to verify keeps it, in any spelling', async () => {
    const both = [await someone('shared@mail.example'), await someone('Shared@mail.example')];
    const tokens: string[] = [];
    for (const { id } of both) {
      const { url } = await dataOf<{ url: string }>(
        post(root, `/api/admin/users/${id}/links`, { purpose: 'verify_email' }),
      );
      tokens.push(tokenIn(url));
    }
    const statuses = (await Promise.all(tokens.map((token, index) => verify(both[index]!, token)))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([200, 409]);
    const loser = both[statuses.indexOf(409)]!;
    const body = { email_verified: true };
    expect((await root.call(`/api/admin/users/${loser.id}`, { method: 'PUT', body })).status).toBe(409);
  });
});

describe('an address changed during', () => {
  const victims = 'somebody.else@mail.example';
  const move = (member: Member, email: string) =>
    member.call('/api/user/self', { method: 'PUT', body: { email, display_name: 'Mallory' } });
  const isUnproven = async (member: Member) =>
    expect(
      await t.platform.database.db
        .selectFrom('users')
        .select(['email', 'email_verified'])
        .where('id', '=', member.id)
        .executeTakeFirst(),
    ).toEqual({ email: victims, email_verified: 0 });
  /** Does something while the next password is hashed, which takes its time. */
  const whileHashing = async (meanwhile: () => Promise<unknown>, act: () => Promise<Response>) => {
    const { hash } = Bun.password;
    Bun.password.hash = async (...given) => {
      Bun.password.hash = hash;
      await meanwhile();
      return hash(...given);
    };
    return act();
  };

  test('its verification stays unverified', async () => {
    const member = await someone();
    const { url } = await dataOf<{ url: string }>(
      post(root, `/api/admin/users/${member.id}/links`, { purpose: 'verify_email' }),
    );
    const { db } = t.platform.database;
    // The last moment before the write.
    const transaction = () => ({
      execute: async <T>(work: (tx: typeof db) => Promise<T>) => {
        await move(member, victims);
        return db.transaction().execute(work);
      },
    });
    const late = new Proxy(db, {
      get: (target, name) => {
        if (name === 'transaction') return transaction;
        const member = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const deps = { ...t.app.identity.accounts, db: late, webUrl: t.config.webUrl, mailer: null, log: t.platform.log };
    await expect(verifyEmail(deps, member.id, tokenIn(url))).rejects.toMatchObject({ code: 'invalid_value' });
    await isUnproven(member);
  });

  test('an administrator’s confirmation stays unverified', async () => {
    const member = await someone();
    const seen = member.email;
    await move(member, victims);
    const put = (body: Record<string, unknown>) =>
      root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { email_verified: true, ...body } });
    expect((await put({ email: seen })).status).toBe(409);
    await isUnproven(member);
    await move(member, seen);
    expect(await dataOf(put({ email: seen }))).toMatchObject({ email: seen, email_verified: true });
  });

  test('a password reset sent to the old address stays unverified', async () => {
    const member = await verified();
    await post(t, '/api/user/password/forgot', { email: member.email });
    const token = await newest(member.email, 2);
    const done = await whileHashing(
      () => move(member, victims),
      () => reset(token),
    );
    expect(done.status).toBe(200);
    await isUnproven(member);
  });

  test('a password change that sets it stays unverified', async () => {
    const member = await someone();
    await post(member, '/api/user/email/verification', { password });
    const token = await newest(member.email, 1);
    await move(member, victims);
    const body = { email: victims, password: another, current_password: password };
    const meanwhile = async () => {
      await move(member, member.email);
      expect((await verify(member, token)).status).toBe(200);
    };
    const changed = await whileHashing(meanwhile, () => member.call('/api/user/self', { method: 'PUT', body }));
    expect(changed.status).toBe(200);
    await isUnproven(member);
  });
});

describe('password reset', () => {
  const forgot = (email: string) => post(t, '/api/user/password/forgot', { email });

  test('the response is the same for unknown addresses, and only verified addresses get a mail', async () => {
    const [known, unproven] = [await verified(), await someone()];
    const answers = [known.email.toUpperCase(), unproven.email, 'nobody@mail.example'].map(forgot);
    const told = await Promise.all(answers.map(async (answer) => [(await answer).status, await (await answer).text()]));
    expect(told[1]).toEqual(told[0]!);
    expect(told[2]).toEqual(told[0]!);
    await newest(known.email, 2);
    expect(mailsTo(unproven.email)).toEqual([]);
  });

  test('works regardless of how many mails others triggered for the address', async () => {
    const [owner, other] = [await verified(), await someone()];
    const { id } = (await dataOf(post(other, '/api/organisations', { name: 'Tea', time_zone: 'UTC' }))) as {
      id: number;
    };
    const invite = (email: string) => post(other, `/api/organisations/${id}/invitations`, { email });
    for (let count = 0; count < 6; count += 1) {
      await invite(owner.email);
      await other.call('/api/user/self', { method: 'PUT', body: { email: owner.email } });
      await post(other, '/api/user/email/verification', { password });
    }
    const before = mailsTo(owner.email).length;
    await forgot(owner.email);
    expect((await reset(await newest(owner.email, before + 1))).status).toBe(200);
    // Nor does anybody write to everybody: who is invited is handed a link instead.
    const mailed = async (n: number) =>
      ((await dataOf(invite(`stranger-${n}@mail.example`))) as { mailed: boolean; url: string | null }).mailed;
    const sent: boolean[] = [];
    for (let n = 0; n < 60; n += 1) sent.push(await mailed(n));
    expect(sent.filter(Boolean).length).toBeLessThan(50);
    expect(sent.at(-1)).toBe(false);
  });

  test('a link works once within half an hour, ends all sessions, and does not log in', async () => {
    const member = await verified();
    await forgot(member.email);
    const token = await newest(member.email, 2);
    expect((await post(t, '/api/user/password/reset', { token, password: 'short' })).status).toBe(400);
    const done = await reset(token);
    expect([done.status, done.headers.get('set-cookie')]).toEqual([200, null]);
    expect((await reset(token)).status).toBe(400);
    expect((await member.call('/api/user/self')).status).toBe(401);
    expect((await login(member.username, password)).status).toBe(401);
    expect((await login(member.username, another)).status).toBe(200);

    const late = await verified();
    await forgot(late.email);
    const old = await newest(late.email, 2);
    clock.advance(1_801_000);
    expect((await reset(old)).status).toBe(400);
  });

  test('a link sent to a former address is rejected', async () => {
    const member = await verified();
    await forgot(member.email);
    const token = await newest(member.email, 2);
    await member.call('/api/user/self', { method: 'PUT', body: { email: `left-${member.email}` } });
    expect((await reset(token)).status).toBe(400);
    expect((await login(member.username, password)).status).toBe(200);
  });

  test('a link from before a password change is rejected', async () => {
    const member = await verified();
    await forgot(member.email);
    const token = await newest(member.email, 2);
    const body = { password: 'yet another password', current_password: password };
    expect((await member.call('/api/user/self', { method: 'PUT', body })).status).toBe(200);
    expect((await reset(token)).status).toBe(400);
  });
});

describe('links from administrators', () => {
  test('an invitation is emailed, sets the first password, and verifies the address', async () => {
    const invitation = { username: 'invited.one', email: 'invited@mail.example' };
    const answer = await dataOf<{ url: null; mailed: boolean }>(post(root, '/api/admin/invitations', invitation));
    expect(answer).toMatchObject({ url: null, mailed: true });
    expect((await reset(await newest(invitation.email, 1))).status).toBe(200);
    const entered = await login(invitation.username, another);
    expect(await dataOf(entered)).toMatchObject({ username: 'invited.one', email_verified: true, role: 1 });
    expect((await post(root, '/api/admin/invitations', invitation)).status).toBe(409);
  });

  test('without an address the link is returned, and verifies none', async () => {
    const { url } = await dataOf<{ url: string }>(post(root, '/api/admin/invitations', { username: 'invited.two' }));
    expect(url).toStartWith(`${t.config.webUrl}/reset-password#`);
    expect((await reset(tokenIn(url))).status).toBe(200);
    expect(await dataOf(login('invited.two', another))).toMatchObject({ email_verified: false });
  });

  const administrator = async (): Promise<Member> => {
    const member = await t.user();
    await changeByRoot(member.id, { role: 10 });
    return member;
  };
  const changeByRoot = (id: number, change: object) =>
    root.call(`/api/admin/users/${id}`, { method: 'PUT', body: change });

  /** What may become of who made a link, or of the account it opens, before somebody follows it. */
  const ends: Record<string, (by: Member, accountId: number) => Promise<Response>> = {
    'its maker is no administrator any more': (by) => changeByRoot(by.id, { role: 1 }),
    'its maker was disabled': (by) => changeByRoot(by.id, { status: 2 }),
    'its maker was deleted': (by) => root.call(`/api/admin/users/${by.id}`, { method: 'DELETE' }),
    'the account has the role of its maker now': (_, accountId) => changeByRoot(accountId, { role: 10 }),
  };
  test.each(Object.keys(ends))('a link that was handed over is rejected when %s', async (end) => {
    const by = await administrator();
    const member = await t.user();
    const username = `invited.by.${by.id}`;
    const purpose = { purpose: 'reset_password' };
    const made = [
      { id: member.id, ...(await dataOf<{ url: string }>(post(by, `/api/admin/users/${member.id}/links`, purpose))) },
      await dataOf<{ url: string; user: Member }>(post(by, '/api/admin/invitations', { username })).then(
        ({ url, user }) => ({ id: user.id, url }),
      ),
    ];
    for (const { id } of made) expect((await ends[end]!(by, id)).ok || end.endsWith('deleted')).toBe(true);
    for (const { url } of made) expect((await reset(tokenIn(url))).status).toBe(400);
    expect((await login(member.username, password)).status).toBe(200);
    expect((await login(username, another)).status).toBe(401);
  });

  test('a link that was mailed to its owner is valid whatever becomes of who asked for it', async () => {
    const by = await administrator();
    const member = await verified();
    const asked = { purpose: 'reset_password', mail: true };
    expect((await post(by, `/api/admin/users/${member.id}/links`, asked)).status).toBe(200);
    await changeByRoot(by.id, { role: 1 });
    expect((await reset(await newest(member.email, 2))).status).toBe(200);
  });

  test('links and their secrets are not in the audit log', async () => {
    const member = await someone();
    const path = `/api/admin/users/${member.id}/links`;
    const { url } = await dataOf<{ url: string }>(post(root, path, { purpose: 'reset_password' }));
    expect((await reset(tokenIn(url))).status).toBe(200);
    await t.app.identity.accounts.audit.flush();
    const log = await (await root.call('/api/admin/audit?page_size=100')).text();
    expect(log).not.toContain(tokenIn(url));
    for (const action of ['link_issued', 'password_reset', 'email_verified', 'user_invited'])
      expect(log).toContain(action);
  });
});

test('without an SMTP server, sending mail is rejected in the same way for all', async () => {
  const without = await openTestApp();
  const forgot = await post(without, '/api/user/password/forgot', { email: 'nobody@mail.example' });
  expect(forgot.status).toBe(409);
  await without.close();
});
