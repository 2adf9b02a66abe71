import type { Selectable } from 'kysely';
import type { Db, Tables } from '../../platform/db/tables.ts';
import './tables.ts';

export type SignInRow = Selectable<Tables['oauth_sign_ins']>;

/** Selects those of a session, of a user, or the next after an id. */
export type Among = { session: number } | { user: number } | { after: number; most: number };

/** A claim of a process that died expires after this. */
const claimSeconds = 60;

/** Sign-ins whose session is gone, claimed by one process for a minute. */
export async function claimEnded(db: Db, among: Among, now: number): Promise<SignInRow[]> {
  const ended = db
    .updateTable('oauth_sign_ins')
    .set({ ended_at: now })
    .where((e) => e.or([e('ended_at', 'is', null), e('ended_at', '<', now - claimSeconds)]))
    .where((e) =>
      e.not(e.exists(e.selectFrom('sessions').select('id').whereRef('sessions.id', '=', 'oauth_sign_ins.session_id'))),
    )
    .returningAll();
  if ('session' in among) return ended.where('session_id', '=', among.session).execute();
  if ('user' in among) return ended.where('user_id', '=', among.user).execute();
  return ended.where('id', 'in', nextIds(db, among)).execute();
}

const nextIds = (db: Db, { after, most }: { after: number; most: number }) =>
  db.selectFrom('oauth_sign_ins').select('id').where('id', '>', after).orderBy('id').limit(most);

/** Where `most` rows after an id end; null if there are fewer. */
export async function endOfNext(db: Db, among: { after: number; most: number }): Promise<number | null> {
  const rows = await nextIds(db, among).execute();
  return rows.length < among.most ? null : rows.at(-1)!.id;
}

/** The applications of a session know its successor by the same ids. */
export async function moveSignIns(db: Db, before: number, after: number): Promise<void> {
  await db.updateTable('oauth_sign_ins').set({ session_id: after }).where('session_id', '=', before).execute();
}

export async function deleteSignIns(db: Db, ids: number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('oauth_sign_ins').where('id', 'in', ids).execute();
}
