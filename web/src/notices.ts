import { formatQuota } from './format.ts';

interface NoticeWords {
  title: string;
  text: string;
  /** Where something can be done about it. */
  to: string;
  label: string;
}

type About = Record<string, unknown>;
const account = { to: '/account', label: 'Open your account' };
const amount = (value: unknown): string => (typeof value === 'number' ? formatQuota(value) : '');
const windows: Record<string, string> = { day: 'today', week: 'this week', month: 'this month', total: 'in all' };

const words: Record<string, (about: About) => NoticeWords> = {
  factors_removed: ({ by }) => ({
    title: 'Your second factors were removed',
    text: `${by} did it, and your password alone lets in now. If you did not ask for it, tell them, and set one up again.`,
    ...account,
  }),
  sessions_ended: ({ by }) => ({
    title: 'You were logged out',
    text: `${by} ended sessions of yours. If you do not know why, ask them, and look at where you are logged in.`,
    ...account,
  }),
  password_link: ({ by }) => ({
    title: 'A link for a new password was made',
    text: `${by} made a link by which a new password can be chosen for your account. If you did not ask for it, tell them.`,
    ...account,
  }),
  spending: ({ share, used, amount: most, window, hard }) => ({
    title: `${Math.round(Number(share) * 1000) / 10} % of your spending limit is used`,
    text: `${amount(used)} of ${amount(most)} ${windows[String(window)] ?? ''}. ${hard ? 'Requests beyond it are refused.' : 'Requests beyond it go on.'}`,
    to: '/credits',
    label: 'Change the limit',
  }),
};

/** Of a kind that this version of the page does not know, at least that there is something. */
export function noticeWords({ kind, about }: { kind: string; about: About }): NoticeWords {
  return (
    words[kind]?.(about) ?? {
      title: kind.replaceAll('_', ' '),
      text: 'Something about your account changed.',
      ...account,
    }
  );
}
