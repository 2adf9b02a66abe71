import { sanitizeNames } from './sanitize-names.ts';
import type { Words } from './words.ts';

interface Link {
  link: string;
  /** Validity. */
  seconds: number;
}

interface Spent {
  /** Fraction of the amount, 1 for all of it. */
  share: number;
  used: number;
  amount: number;
  window: string;
  /** Whether requests beyond it are refused. */
  hard: boolean;
}

/** Changes to an account's sign-in methods by a signed-in user. */
export type AccountChange = 'password' | 'address' | 'factor_added' | 'factor_removed' | 'recovery_codes' | 'identity';

/** All mails the service sends, with their values. */
export interface Mails {
  verify_email: Link;
  reset_password: Link;
  invitation: Link;
  factors_removed: { by: string };
  account_changed: { what: AccountChange };
  sessions_ended: { by: string };
  password_link: { by: string };
  spending: Spent;
  budget: Spent & { organisation: string; organisationId: number; level: string; name: string };
  key_limit: Spent & { key: string };
  join: Link & { organisation: string; role: string };
}
export type MailKind = keyof Mails;

interface Letter {
  subject: string;
  /** One line each. */
  says: string[];
  link: string;
  /** After the link, for recipients who did not expect the mail. */
  otherwise?: string;
}

const byLink = ({ t }: Words, { link }: Link, subject: string, says: string): Letter => ({
  ...{ subject, says: [says], link },
  otherwise: t('If you did not request this, you can ignore this email.'),
});

const ofAccount = ({ t }: Words, webUrl: string, subject: string, says: string): Letter => ({
  subject,
  says: [says, t('If you did not request this, contact your administrator.')],
  link: `${webUrl}/account`,
});

const ofSpending = ({ t }: Words, { hard }: Spent, link: string, subject: string, says: string): Letter => ({
  subject,
  says: [
    says,
    hard ? t('Requests beyond the limit are rejected.') : t('Requests beyond the limit are still accepted.'),
  ],
  link,
});

const percentOf = ({ share }: Spent): number => Math.round(share * 1000) / 10;
const valuesOf = ({ money }: Words, spent: Spent) => ({
  ...{ percent: percentOf(spent), used: money(spent.used), limit: money(spent.amount), window: spent.window },
});

const letters: { [K in MailKind]: (words: Words, about: Mails[K], webUrl: string) => Letter } = {
  verify_email: (words, about) => {
    const { t, time } = words;
    const says = t('Open this link to confirm that this address is yours. It works once and expires in {time}.', {
      time: time(about.seconds),
    });
    return byLink(words, about, t('Verify your email address'), says);
  },
  reset_password: (words, about) => {
    const { t, time } = words;
    const says = t('Open this link to choose a new password. It works once and expires in {time}.', {
      time: time(about.seconds),
    });
    return byLink(words, about, t('Reset your password'), says);
  },
  invitation: (words, about) => {
    const { t, time } = words;
    const says = t(
      'An account was created for you. Open this link to choose its password. It works once and expires in {time}.',
      {
        time: time(about.seconds),
      },
    );
    return byLink(words, about, t('Your account'), says);
  },
  factors_removed: (words, { by }, webUrl) => {
    const { t } = words;
    const says = t(
      '{by} removed the second factors from your account. You now log in with your password only; set up a second factor again on your account page.',
      { by },
    );
    return ofAccount(words, webUrl, t('Your second factors were removed'), says);
  },
  account_changed: (words, about, webUrl) => {
    const { t } = words;
    const says = t(
      '{what, select, password {The password of your account was changed.} address {The email address of your account was changed.} factor_added {A second factor was added to your account.} factor_removed {A second factor was removed from your account.} recovery_codes {New recovery codes were created for your account.} other {An external account was connected to your account. You can log in with it.}}',
      about,
    );
    return ofAccount(words, webUrl, t('Your account was changed'), says);
  },
  sessions_ended: (words, { by }, webUrl) => {
    const { t } = words;
    const says = t('{by} ended the sessions of your account. Log in again.', { by });
    return ofAccount(words, webUrl, t('You were logged out'), says);
  },
  password_link: (words, { by }, webUrl) => {
    const { t } = words;
    const says = t('{by} created a link to set a new password for your account.', { by });
    return ofAccount(words, webUrl, t('A password reset link was created'), says);
  },
  spending: (words, spent, webUrl) => {
    const { t } = words;
    const subject = t('{percent} % of your spending limit is used', { percent: percentOf(spent) });
    const says = t(
      'You have spent {used} {window, select, day {today} week {this week} month {this month} other {in total}}. Your limit is {limit}.',
      valuesOf(words, spent),
    );
    return ofSpending(words, spent, `${webUrl}/account`, subject, says);
  },
  budget: (words, { organisation, organisationId, level, name, ...spent }, webUrl) => {
    const { t } = words;
    const subject = t('{organisation}: {percent} % of a budget is used', { organisation, percent: percentOf(spent) });
    const says = t(
      'In {organisation}, {percent} % of the budget of {level, select, organisation {organisation} team {team} member {member} other {key}} {name} is used: {used} of {limit} {window, select, day {today} week {this week} month {this month} other {in total}}.',
      { ...valuesOf(words, spent), organisation, level, name },
    );
    return ofSpending(words, spent, `${webUrl}/organisations/${organisationId}`, subject, says);
  },
  key_limit: (words, { key, ...spent }, webUrl) => {
    const { t } = words;
    const subject = t('{key}: {percent} % of its limit is used', { key, percent: percentOf(spent) });
    const says = t(
      '{percent} % of the spending limit of your API key {key} is used: {used} of {limit} {window, select, day {today} week {this week} month {this month} other {in total}}.',
      { ...valuesOf(words, spent), key },
    );
    return ofSpending(words, spent, `${webUrl}/keys`, subject, says);
  },
  join: ({ t, time }, { organisation, role, link, seconds }, webUrl) => {
    const says = t(
      'You are invited to join {organisation} on {host} as {role, select, owner {owner} admin {admin} member {member} other {viewer}}. This link works once and expires in {time}.',
      { organisation, host: new URL(webUrl).host, role, time: time(seconds) },
    );
    const otherwise = t('If you do not recognise this, you can ignore this email.');
    return { subject: t('Join {organisation}', { organisation }), says: [says], link, otherwise };
  },
};

/** The final text; a recipient without a name has no account yet. */
export function renderMail<K extends MailKind>(
  words: Words,
  kind: K,
  about: Mails[K],
  { name, webUrl }: { name: string; webUrl: string },
): { subject: string; text: string } {
  const { t } = words;
  const { host } = new URL(webUrl);
  const { subject, says, link, otherwise = [] } = letters[kind](words, sanitizeNames(about), webUrl);
  const hello = name === '' ? t('Hello,') : t('Hello {name},', sanitizeNames({ name }));
  const parts = [hello, says.join('\n'), link, otherwise, host].flat();
  return { subject: t('{subject} ({host})', { subject, host }), text: `${parts.join('\n\n')}\n` };
}
