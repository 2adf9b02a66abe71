import { formatQuota } from './format.ts';
import { t } from './language/words.ts';

interface NoticeWords {
  title: string;
  text: string;
  /** The page where the user can act on it. */
  to: string;
  label: string;
}

type About = Record<string, unknown>;
const account = { to: '/account', label: t('Open your account') };
const amount = (value: unknown): string => (typeof value === 'number' ? formatQuota(value) : '');

const words: Record<string, (about: About) => NoticeWords> = {
  factors_removed: ({ by }) => ({
    title: t('Your second factors were removed'),
    text: t(
      '{by} removed them, and you can now log in with your password alone. If you did not request this, tell them and set up a second factor again.',
      { by: String(by) },
    ),
    ...account,
  }),
  sessions_ended: ({ by }) => ({
    title: t('You were logged out'),
    text: t(
      '{by} ended login sessions of your account. If you do not know why, ask them and check where you are logged in.',
      {
        by: String(by),
      },
    ),
    ...account,
  }),
  password_link: ({ by }) => ({
    title: t('A password reset link was created'),
    text: t('{by} created a link to set a new password for your account. If you did not request it, tell them.', {
      by: String(by),
    }),
    ...account,
  }),
  spending: ({ share, used, amount: most, window, hard }) => ({
    title: t('{percent} % of your spending limit is used', { percent: Math.round(Number(share) * 1000) / 10 }),
    text: t(
      '{used} of {limit} {window, select, day {today} week {this week} month {this month} total {in total} other {}}. {hard, select, yes {Requests over the limit are rejected.} other {Requests over the limit are still accepted.}}',
      { used: amount(used), limit: amount(most), window: String(window), hard: hard ? 'yes' : 'no' },
    ),
    to: '/credits',
    label: t('Change limit'),
  }),
};

/** Falls back to a generic text for kinds that this version of the page does not know. */
export function noticeWords({ kind, about }: { kind: string; about: About }): NoticeWords {
  return (
    words[kind]?.(about) ?? {
      title: kind.replaceAll('_', ' '),
      text: t('Something about your account changed.'),
      ...account,
    }
  );
}
