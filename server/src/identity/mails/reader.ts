import type { Db } from '../../platform/db/tables.ts';
import { languageOf } from '../store/languages.ts';
import { findUserRow } from '../store/users.ts';
import type { Reader } from './mailer.ts';

/** Null if the address is not verified. English if no language is known. */
export async function verifiedReader(db: Db, userId: number): Promise<Reader | null> {
  const user = await findUserRow(db, userId);
  if (!user || user.email === '' || user.email_verified !== 1) return null;
  return { email: user.email, username: user.username, language: (await languageOf(db, userId)) ?? 'en' };
}
