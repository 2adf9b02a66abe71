import { nowSeconds } from '../lib/clock.ts';
import type { LinkDeps } from './links/deps.ts';
import { mayMailNotice } from './links/mail.ts';
import type { AccountChange, MailKind, Mails } from './mails/mail-texts.ts';
import type { Reader } from './mails/mailer.ts';
import { verifiedReader } from './mails/reader.ts';
import { insertNotice } from './store/notices.ts';

/** Notices about what others, or their own spending, did to an account. */
export type NoticeKind = 'factors_removed' | 'sessions_ended' | 'password_link' | 'spending';

/** Shown on the page until dismissed; mailed to a verified address, off the request path. */
export async function notifyUser<K extends NoticeKind>(
  deps: LinkDeps,
  userId: number,
  kind: K,
  about: Mails[K],
): Promise<void> {
  await insertNotice(deps.db, {
    ...{ user_id: userId, kind, about: JSON.stringify(about), created_at: nowSeconds(deps.clock) },
  });
  mail(deps, verifiedReader(deps.db, userId), kind, about);
}

type MailDeps = Pick<LinkDeps, 'db' | 'shared' | 'mailer' | 'log'>;

/**
 * Notifies the owner of changes to sign-in methods, in case somebody else made them. By mail only: the page would show
 * it to whoever did it.
 */
export const notifyOwner = ({ db, ...deps }: MailDeps, userId: number, what: AccountChange): void =>
  mail(deps, verifiedReader(db, userId), 'account_changed', { what });

/** The same to a former address. */
export const notifyFormerAddress = (deps: Omit<MailDeps, 'db'>, reader: Reader | null, what: AccountChange): void =>
  mail(deps, Promise.resolve(reader), 'account_changed', { what });

function mail<K extends MailKind>(
  { mailer, shared, log }: Omit<MailDeps, 'db'>,
  found: Promise<Reader | null>,
  kind: K,
  about: Mails[K],
): void {
  const send = async () => {
    const reader = await found;
    if (mailer && reader && (await mayMailNotice({ shared }, reader.email))) await mailer.send(reader, kind, about);
  };
  void send().catch((error) => log.warn({ error }, 'a notice could not be emailed'));
}
