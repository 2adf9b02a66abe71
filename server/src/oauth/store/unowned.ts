import { type ExpressionBuilder, type Insertable, sql } from 'kysely';
import { countUpTo } from '../../platform/db/list-page.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { applicationStatus } from '../status.ts';
import type { ApplicationRow } from './tables.ts';

/** Null if the client id exists. */
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

/** Number of self-registered clients, counted up to `most`. */
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

/** Rows per delete, so that it never blocks the writer for long. */
const mostAtOnce = 50;

/**
 * Keeps the newest of the document clients that nobody has allowed, verified or suspended; returns how many were
 * deleted.
 */
export async function deleteOldestUnused(db: Db, kept: number): Promise<number> {
  const oldest = await db
    .selectFrom('oauth_applications')
    .select('id')
    // A literal, so that the partial index is used.
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
    // It may have been allowed or reviewed meanwhile.
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
 * Among the next `most` unowned applications after the id `after`, deletes those nobody has allowed whose document
 * expired, or that registered or changed, before then. Suspended ones stay, or they could return unsuspended.
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
