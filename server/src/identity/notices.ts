import { nowSeconds } from '../lib/clock.ts';
import type { LinkDeps } from './links/deps.ts';
import { mayMail } from './links/mail.ts';
import type { Letters } from './mails/letters.ts';
import { verifiedReader } from './mails/reader.ts';
import { insertNotice } from './store/notices.ts';

/** What somebody is told of what others, or their own spending, did to their account. */
export type NoticeKind = 'factors_removed' | 'sessions_ended' | 'password_link' | 'spending';

/** Kept for the page until its reader puts it away; mailed to a verified address, off the path of whoever caused it. */
export async function tellUser<K extends NoticeKind>(
  deps: LinkDeps,
  userId: number,
  kind: K,
  about: Letters[K],
): Promise<void> {
  await insertNotice(deps.db, {
    ...{ user_id: userId, kind, about: JSON.stringify(about), created_at: nowSeconds(deps.clock) },
  });
  void mail(deps, userId, kind, about).catch((error) => deps.log.warn({ error }, 'a notice could not be mailed'));
}

async function mail<K extends NoticeKind>(deps: LinkDeps, userId: number, kind: K, about: Letters[K]): Promise<void> {
  if (!deps.mailer) return;
  const reader = await verifiedReader(deps.db, userId);
  if (reader && (await mayMail(deps, reader.email))) await deps.mailer.send(reader, kind, about);
}
