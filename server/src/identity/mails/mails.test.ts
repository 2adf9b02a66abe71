/** In which language people are written to, from one end to the other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { cookieOf, dataOf, enrol, password, post } from '../factors/factors.fixture.ts';
import { type Inbox, openInbox } from '../links/smtp.fixture.ts';
import { openMailer } from './mailer.ts';

let inbox: Inbox;
let t: TestApp;
let root: Member;
beforeAll(async () => {
  inbox = await openInbox();
  t = await openTestApp({ env: { SMTP_URL: inbox.url, MAIL_FROM: 'svc <svc@svc.example>' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(async () => {
  await t?.close();
  await inbox?.close();
});

const chinese = { headers: { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' } };
const english = { headers: { 'accept-language': 'en-GB' } };
interface Self {
  id: number;
  language: string | null;
}
const selfOf = (member: Member) => dataOf<Self>(member.call('/api/user/self'));
const change = (member: Member, body: unknown) => member.call('/api/user/self', { method: 'PUT', body });

async function mailTo(address: string, count = 1): Promise<Inbox['mails'][number]> {
  const found = () => inbox.mails.filter(({ to }) => to === address);
  await until('the mail has come', () => found().length >= count);
  return found().at(-1)!;
}

/** With an address that is shown to be theirs. */
async function verified(email: string, language?: string): Promise<Member> {
  const member = await t.user();
  await change(member, { email, ...(language && { language }) });
  await root.call(`/api/admin/users/${member.id}`, { method: 'PUT', body: { email_verified: true } });
  return member;
}

describe('account language', () => {
  const register = (username: string, body: object, init: object = {}) =>
    dataOf<Self>(post(t, '/api/user/register', { username, password, ...body }, init));

  test('is taken from the sign-up page, else from the browser, else unknown', async () => {
    expect(await register('lang.body', { language: 'zh-CN' }, english)).toMatchObject({ language: 'zh-CN' });
    expect(await register('lang.header', {}, chinese)).toMatchObject({ language: 'zh-CN' });
    expect(await register('lang.other', {}, { headers: { 'accept-language': 'de' } })).toMatchObject({
      language: null,
    });
    expect(await register('lang.none', {})).toMatchObject({ language: null });
  });

  test('is set at login only if it is unknown', async () => {
    const login = (username: string, init: object) =>
      dataOf<Self>(post(t, '/api/user/login', { username, password }, init));
    const member = await t.user();
    expect(await selfOf(member)).toMatchObject({ language: null });
    expect(await login(member.username, chinese)).toMatchObject({ language: 'zh-CN' });
    expect(await login(member.username, english)).toMatchObject({ language: 'zh-CN' });
    expect(await selfOf(member)).toMatchObject({ language: 'zh-CN' });
  });

  test('can be changed by the user to a supported language', async () => {
    const member = await t.user();
    expect(await dataOf<Self>(change(member, { language: 'zh-CN' }))).toMatchObject({ language: 'zh-CN' });
    expect(await dataOf<Self>(change(member, { display_name: 'Somebody' }))).toMatchObject({ language: 'zh-CN' });
    for (const language of ['de', 'zh', 'ZH-CN', '', null, 7, ['en'], '__proto__']) {
      const refused = await change(member, { language });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ success: false, message: expect.stringContaining('language') });
    }
    expect(await selfOf(member)).toMatchObject({ language: 'zh-CN' });
    expect(await dataOf<Self>(change(member, { language: 'en' }))).toMatchObject({ language: 'en' });
    await t.app.identity.accounts.audit.flush();
    const log = await (await root.call('/api/admin/audit?page_size=100')).text();
    expect(log).toContain('"before":{"language":"zh-CN"},"after":{"language":"en"}');
  });

  test('is part of the export and deleted with the account', async () => {
    const member = await verified('gone@mail.example', 'zh-CN');
    expect(await (await member.call('/api/user/self/export')).text()).toContain('"language":"zh-CN"');
    const { db } = t.platform.database;
    const kept = () => db.selectFrom('user_languages').selectAll().where('user_id', '=', member.id).execute();
    expect(await kept()).toHaveLength(1);
    const gone = await member.call('/api/user/self', { method: 'DELETE', body: { password } });
    expect(gone.status).toBe(200);
    await until('the account is gone', async () => (await kept()).length === 0);
  });
});

describe('mails', () => {
  test('links are sent in the language of the account, whoever requests them', async () => {
    const member = await verified('li@mail.example', 'zh-CN');
    await post(t, '/api/user/password/forgot', { email: 'li@mail.example' }, english);
    const mail = await mailTo('li@mail.example');
    expect(mail.subject).toStartWith('设置新密码（');
    expect(mail.headers.get('content-language')).toBe('zh-CN');
    expect(mail.text).toContain(`${member.username}，你好：`);
    expect(mail.text).toContain('30分钟内有效');

    await change(member, { language: 'en' });
    await post(t, '/api/user/password/forgot', { email: 'li@mail.example' }, chinese);
    const other = await mailTo('li@mail.example', 2);
    expect([other.subject, other.headers.get('content-language')]).toEqual([
      `Reset your password (${new URL(t.config.webUrl).host})`,
      'en',
    ]);
    expect(other.text).toContain('expires in 30 minutes');
  });

  test('an account without a language gets mails in the requester’s language', async () => {
    const member = await t.user();
    await change(member, { email: 'unknown@mail.example' });
    const verification = '/api/user/email/verification';
    expect((await post(member, verification, { password }, chinese)).status).toBe(200);
    expect((await mailTo('unknown@mail.example')).subject).toStartWith('验证你的邮箱');
    expect((await post(member, verification, { password })).status).toBe(200);
    expect((await mailTo('unknown@mail.example', 2)).subject).toStartWith('Verify your email address');
  });

  test('invitations by an administrator use the administrator’s language', async () => {
    const invite = (username: string, init: object = {}) =>
      post(root, '/api/admin/invitations', { username, email: `${username}@mail.example` }, init);
    expect((await invite('invited.by.header', chinese)).status).toBe(200);
    expect((await mailTo('invited.by.header@mail.example')).subject).toStartWith('你的账号');
    await change(root, { language: 'zh-CN' });
    expect((await invite('invited.by.choice', english)).status).toBe(200);
    expect((await mailTo('invited.by.choice@mail.example')).text).toContain('7天内有效');
    await change(root, { language: 'en' });
    expect((await invite('invited.in.english')).status).toBe(200);
    expect((await mailTo('invited.in.english@mail.example')).text).toContain('expires in 7 days');
  });

  test('mails about changes to an account use its owner’s language', async () => {
    const [reader, other] = [await verified('wen@mail.example', 'zh-CN'), await verified('wendy@mail.example')];
    for (const { id } of [reader, other])
      expect((await root.call(`/api/admin/users/${id}/sessions`, { method: 'DELETE', ...chinese })).status).toBe(200);
    expect(await mailTo('wen@mail.example')).toMatchObject({ subject: expect.stringMatching(/^你已被退出登录/) });
    expect(await mailTo('wendy@mail.example')).toMatchObject({
      subject: expect.stringMatching(/^You were logged out/),
    });
  });
});

test('line breaks in a name add no lines to the mail', async () => {
  const mailer = openMailer({ url: inbox.url, from: 'svc <svc@svc.example>', webUrl: 'https://svc.example' });
  const organisation = 'Acme\r\nBcc: victim@mail.example\r\nContent-Type: text/html\r\n\r\n<script>';
  for (const language of ['en', 'zh-CN'] as const) {
    const about = { organisation, role: 'member', link: 'https://svc.example/join#x', seconds: 60 };
    await mailer.send({ email: `${language}@hostile.example`, username: '', language }, 'join', about);
    const { headers, subject, text } = await mailTo(`${language}@hostile.example`);
    expect([...headers.keys()].sort()).toEqual([
      ...[
        'content-language',
        'content-transfer-encoding',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
      ],
      ...['subject', 'to'],
    ]);
    expect([headers.get('content-type'), headers.get('to')]).toEqual([
      'text/plain; charset=utf-8',
      `${language}@hostile.example`,
    ]);
    const shown = 'Acme Bcc: victim@mail.example Content-Type: text/html <script>';
    expect(subject).toContain(shown);
    expect(text.split('\r\n').filter((line) => line.includes('victim'))).toEqual([expect.stringContaining(shown)]);
  }
  mailer.close();
  expect(inbox.mails.some(({ to }) => to.includes('victim'))).toBe(false);
});

describe('changes to sign-in methods', () => {
  test('are mailed to the owner, and a change of address to the previous one', async () => {
    const member = await verified('owner@mail.example');
    const told = () => inbox.mails.filter(({ to }) => to === 'owner@mail.example').map(({ text }) => text);
    const says = async (count: number, words: string) => {
      await until('the mail has come', () => told().length >= count);
      expect([told().length, told().at(-1)]).toEqual([count, expect.stringContaining(words)]);
    };
    await change(member, { display_name: 'Somebody', email: 'owner@mail.example' });
    await enrol(t, member);
    await says(1, 'second factor was added');
    // Nobody keeps the owner from hearing of it by asking for mails first.
    for (let asked = 0; asked < 8; asked += 1)
      await post(t, '/api/user/password/forgot', { email: 'owner@mail.example' });
    await until('they have come', () => told().filter((text) => text.includes('choose a new password')).length === 5);
    await post(member, '/api/user/recovery-codes');
    await says(7, 'New recovery codes were created');
    const changed = await change(member, { password: 'another fine password', current_password: password });
    await says(8, 'password of your account was changed');
    const headers = { cookie: cookieOf(changed) };
    await t.call('/api/user/totp', { method: 'DELETE', headers });
    await says(9, 'was removed');
    await t.call('/api/user/self', { method: 'PUT', body: { email: 'thief@mail.example' }, headers });
    await says(10, 'email address of your account was changed');
    expect(inbox.mails.filter(({ to }) => to === 'thief@mail.example')).toEqual([]);
  });
});
