import type { Selectable } from 'kysely';
import { deletingPast } from '../../../platform/db/delete-rows.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { SignInAttemptsTable, SignInLinksTable } from './tables.ts';

export type AttemptRow = Selectable<SignInAttemptsTable>;
export type LinkRow = Selectable<SignInLinksTable>;

export async function insertAttempt(db: Db, attempt: AttemptRow): Promise<void> {
  await db.insertInto('sign_in_attempts').values(attempt).execute();
}

/** Of several returns with one state, one gets it; null for the others, and for other browsers and providers. */
export async function takeAttempt(
  db: Db,
  wanted: Pick<AttemptRow, 'state_hash' | 'provider_id' | 'browser_hash'>,
  now: number,
): Promise<AttemptRow | null> {
  const row = await db
    .deleteFrom('sign_in_attempts')
    .where('state_hash', '=', wanted.state_hash)
    .where('provider_id', '=', wanted.provider_id)
    .where('browser_hash', '=', wanted.browser_hash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function insertLink(db: Db, link: LinkRow): Promise<void> {
  await db.insertInto('sign_in_links').values(link).execute();
}

type LinkName = Pick<LinkRow, 'token_hash' | 'browser_hash'>;

export async function findLink(db: Db, wanted: LinkName, now: number): Promise<LinkRow | null> {
  const row = await db
    .selectFrom('sign_in_links')
    .selectAll()
    .where('token_hash', '=', wanted.token_hash)
    .where('browser_hash', '=', wanted.browser_hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

export const deleteExpiredAttempts = deletingPast('sign_in_attempts', 'state_hash', 'expires_at');
export const deleteExpiredLinks = deletingPast('sign_in_links', 'token_hash', 'expires_at');
