import { type ExpressionBuilder, type Insertable, sql } from 'kysely';
import { countUpTo } from '../../platform/db/list-page.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow } from './tables.ts';

/** Null when there is one with this client id already. */
export async function insertUnlessThere(
  db: Db,
  application: Insertable<Tables['oauth_applications']>,
): Promise<ApplicationRow | null> {
  const row = await db
    .insertInto('oauth_applications')
    .values(application)
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** How many registered themselves and are there, counted up to `most`. */
export const countRegistered = (db: Db, most: number): Promise<number> =>
  countUpTo(
    db,
    db
      .selectFrom('oauth_applications')
      .select('id')
      .where('owner_id', 'is', null)
      .where('source', '=', 'registration')
      .where('status', '<>', applicationStatus.deleted)
      .orderBy('id'),
    most,
  );

/** Rows of one delete: as many as come between two of them, and it never holds the writer for long. */
const mostAtOnce = 50;

/** Of those that a document describes and nobody has allowed, verified or suspended, keeps the newest; returns how many are gone. */
export async function deleteOldestUnused(db: Db, kept: number): Promise<number> {
  const oldest = await db
    .selectFrom('oauth_applications')
    .select('id')
    // Written out, since it is by this that the index is found.
    .where('source', '=', sql.lit('document'))
    .where('is_verified', '=', 0)
    .where('status', '<>', applicationStatus.suspended)
    .where(allowedByNobody)
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(mostAtOnce)
    .execute();
  if (oldest.length === 0) return 0;
  const result = await db
    .deleteFrom('oauth_applications')
    .where(
      'id',
      'in',
      oldest.map(({ id }) => id),
    )
    // Somebody may have allowed one, or judged it, meanwhile.
    .where('is_verified', '=', 0)
    .where('status', '<>', applicationStatus.suspended)
    .where(allowedByNobody)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

const allowedByNobody = (e: ExpressionBuilder<Tables, 'oauth_applications'>) =>
  e.not(
    e.exists(
      e
        .selectFrom('oauth_consents')
        .select('oauth_consents.id')
        .whereRef('oauth_consents.application_id', '=', 'oauth_applications.id'),
    ),
  );

/**
 * Of the next `most` applications without an owner after the id `after`, deletes those that nobody has allowed and whose
 * document ran out, or that registered or changed themselves, before then. A suspended one stays, or it would come back as if
 * nothing had been.
 */
export async function deleteUnused(
  db: Db,
  before: { document: number; registration: number },
  after: number,
  most: number,
): Promise<{ gone: number; upTo: number | null }> {
  const next = await db
    .selectFrom('oauth_applications')
    .select('id')
    .where('owner_id', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(most)
    .execute();
  if (next.length === 0) return { gone: 0, upTo: null };
  const ids = next.map(({ id }) => id);
  const result = await db
    .deleteFrom('oauth_applications')
    .where('id', 'in', ids)
    .where('is_verified', '=', 0)
    .where('status', '<>', applicationStatus.suspended)
    .where((e) =>
      e.or([
        e('document_expires_at', '<', before.document),
        e.and([e('source', '=', 'registration'), e('updated_at', '<', before.registration)]),
      ]),
    )
    .where(allowedByNobody)
    .executeTakeFirst();
  return { gone: Number(result.numDeletedRows), upTo: next.length < most ? null : ids.at(-1)! };
}
