import { describe, expect, test } from 'bun:test';
import { languages } from '../../lib/languages.ts';
import { quotaPerUsd } from '../../lib/money.ts';
import { type MailKind, type Mails, renderMail } from './mail-texts.ts';
import { type Message, type Words, wordsOf } from './words.ts';
import chinese from './zh-cn.ts';

const webUrl = 'https://svc.example:8443';
const link = { link: `${webUrl}/page#secret`, seconds: 1_800 };
const spent = { share: 0.755, used: 1_234 * quotaPerUsd + 1, amount: 2_000 * quotaPerUsd, window: 'month', hard: true };

/** One of each, which the type asks for. */
const samples: { [K in MailKind]: Mails[K] } = {
  verify_email: link,
  reset_password: link,
  invitation: link,
  factors_removed: { by: 'root' },
  account_changed: { what: 'address' },
  sessions_ended: { by: 'root' },
  password_link: { by: 'root' },
  spending: spent,
  budget: { ...spent, organisation: 'Acme', organisationId: 3, level: 'team', name: 'Research' },
  key_limit: { ...spent, key: 'laptop' },
  join: { ...link, organisation: 'Acme', role: 'admin' },
};
const kinds = Object.keys(samples) as MailKind[];

const write = (words: Words, kind: MailKind, about: object = {}, name = 'ulf') =>
  renderMail(words, kind, { ...samples[kind], ...about }, { name, webUrl });

/** What differs from mail to mail, in whichever language. */
const filledIn = /https:\S+|svc\.example:8443|\$[\d.,]*\d|\d+(?:\.\d+)?|\b(?:root|Acme|Research|laptop|ulf|API)\b/g;

describe('mail texts', () => {
  test.each(kinds)('%s exists in each language with all its values', (kind) => {
    const english = write(wordsOf('en'), kind);
    const other = write(wordsOf('zh-CN'), kind);
    for (const part of ['subject', 'text'] as const) {
      expect(other[part]).toMatch(/\p{Script=Han}/u);
      expect(english[part]).not.toMatch(/\p{Script=Han}/u);
      expect(other[part].replace(filledIn, '')).not.toMatch(/[A-Za-z{}]/);
      expect(other[part].match(filledIn)!.sort()).toEqual(english[part].match(filledIn)!.sort());
    }
  });

  test('every message is used by a mail', () => {
    const asked = new Set<Message>();
    const words = wordsOf('en');
    const t: Words['t'] = (message, ...values) => {
      asked.add(message);
      return words.t(message, ...values);
    };
    for (const kind of kinds)
      for (const hard of [true, false]) write({ ...words, t }, kind, { hard }, hard ? 'ulf' : '');
    expect([...asked].sort()).toEqual((Object.keys(chinese) as Message[]).sort());
  });
});

test('a full mail in English and in Chinese', () => {
  expect(languages.map((language) => write(wordsOf(language), 'budget'))).toEqual([
    {
      subject: 'Acme: 75.5 % of a budget is used (svc.example:8443)',
      text: `Hello ulf,

In Acme, 75.5 % of the budget of team Research is used: $1,234.000002 of $2,000.00 this month.
Requests beyond the limit are rejected.

${webUrl}/organisations/3

svc.example:8443
`,
    },
    {
      subject: 'Acme：一项预算已使用 75.5%（svc.example:8443）',
      text: `ulf，你好：

Acme 中，团队 Research 的预算已使用 75.5%：本月已花费 $1,234.000002，预算为 $2,000.00。
超出后请求将被拒绝。

${webUrl}/organisations/3

svc.example:8443
`,
    },
  ]);
});

test.each([
  [60, '1 minute', '1分钟'],
  [1_800, '30 minutes', '30分钟'],
  [3_600, '1 hour', '1小时'],
  [86_400, '24 hours', '24小时'],
  [7 * 86_400, '7 days', '7天'],
])('%d seconds are %s, %s', (seconds, english, other) => {
  expect(languages.map((language) => wordsOf(language).time(seconds))).toEqual([english, other]);
});

describe('names in mails', () => {
  const join = (organisation: string) => write(wordsOf('en'), 'join', { organisation }, '');

  test.each([
    ['lines', 'Acme\r\nBcc: victim@mail.example\r\n\r\nPay here', 'Acme Bcc: victim@mail.example Pay here'],
    ['other ends of lines', 'Acme\u2028Pay\u0085here\u000bnow', 'Acme Payhere now'],
    ['a turned direction', 'Acme \u202eelpmaxe\u202c \u2066x', 'Acme elpmaxe x'],
    ['nothing to be seen', 'Ac\u200bme\u0000\u{e0041}', 'Acme'],
    ['letters that run leftwards', 'שלום 100', '\u2068שלום 100\u2069'],
    ['markup', '<b>Acme</b> {role} &amp;', '<b>Acme</b> {role} &amp;'],
  ])('%s: the name stays one line and cannot be mistaken for our text', (_, name, shown) => {
    const { subject, text } = join(name);
    expect(subject).toBe(`Join ${shown} (svc.example:8443)`);
    const [hello, says, ...rest] = text.split('\n\n');
    expect([hello, says]).toEqual([
      'Hello,',
      `You are invited to join ${shown} on svc.example:8443 as admin. This link works once and expires in 30 minutes.`,
    ]);
    expect(rest).toEqual([link.link, 'If you do not recognise this, you can ignore this email.', 'svc.example:8443\n']);
  });

  test('the recipient’s own name is contained too', () => {
    expect(write(wordsOf('en'), 'verify_email', {}, 'ulf\n\nhttps://elsewhere.example').text).toStartWith(
      'Hello ulf https://elsewhere.example,\n\nOpen this link',
    );
  });
});
