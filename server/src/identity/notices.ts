import { nowSeconds } from '../lib/clock.ts';
import { quotaToUsd } from '../lib/money.ts';
import type { LinkDeps } from './links/deps.ts';
import { mayMail } from './links/mail.ts';
import { insertNotice } from './store/notices.ts';
import { findUserRow } from './store/users.ts';

/** What somebody is told of what others, or their own spending, did to their account. */
export interface Notices {
  factors_removed: { by: string };
  sessions_ended: { by: string };
  password_link: { by: string };
  spending: { share: number; used: number; amount: number; window: string; hard: boolean };
}
export type NoticeKind = keyof Notices;

const dollars = (quota: number): string =>
  `$${quotaToUsd(quota).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
const windows: Record<string, string> = { day: 'today', week: 'this week', month: 'this month', total: 'in all' };
const unasked = 'If you did not ask for this, tell your administrator.';

/** In a mail; pages have words of their own. */
const mails: { [K in NoticeKind]: (about: Notices[K]) => { subject: string; text: string } } = {
  factors_removed: ({ by }) => ({
    subject: 'Your second factors were removed',
    text: `${by} removed the second factors of your account. You log in with your password alone now; set them up again on your account page. ${unasked}`,
  }),
  sessions_ended: ({ by }) => ({
    subject: 'You were logged out',
    text: `${by} ended the sessions of your account. Log in again. ${unasked}`,
  }),
  password_link: ({ by }) => ({
    subject: 'A link for a new password was made',
    text: `${by} made a link by which a new password can be chosen for your account. ${unasked}`,
  }),
  spending: ({ share, used, amount, window, hard }) => ({
    subject: `${Math.round(share * 1000) / 10} % of your spending limit is used`,
    text: `You have spent ${dollars(used)} ${windows[window]}, and your limit is ${dollars(amount)}. ${hard ? 'Requests beyond it are refused.' : 'Requests beyond it go on.'}`,
  }),
};

/** Kept for the page until its reader puts it away; mailed to a verified address, off the path of whoever caused it. */
export async function tellUser<K extends NoticeKind>(
  deps: LinkDeps,
  userId: number,
  kind: K,
  about: Notices[K],
): Promise<void> {
  await insertNotice(deps.db, {
    ...{ user_id: userId, kind, about: JSON.stringify(about), created_at: nowSeconds(deps.clock) },
  });
  void mail(deps, userId, mails[kind](about)).catch((error) =>
    deps.log.warn({ error }, 'a notice could not be mailed'),
  );
}

async function mail(deps: LinkDeps, userId: number, words: { subject: string; text: string }): Promise<void> {
  if (!deps.mailer) return;
  const user = await findUserRow(deps.db, userId);
  if (!user || user.email === '' || user.email_verified !== 1 || !(await mayMail(deps, user.email))) return;
  const host = new URL(deps.webUrl).host;
  const text = `Hello ${user.username},\n\n${words.text}\n\n${deps.webUrl}/account\n\n${host}\n`;
  await deps.mailer.send({ to: user.email, subject: `${words.subject} (${host})`, text });
}
