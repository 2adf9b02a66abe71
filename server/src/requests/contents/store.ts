import { sql } from 'kysely';
import { findRow, hasRow } from '../../platform/db/find-row.ts';
import { onePage, type PersonalData, pages } from '../../platform/db/pages.ts';
import { resealing } from '../../platform/db/reseal.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { sizeOf } from '../../platform/storage-quota/sizes.ts';

interface ContentTable {
  request_id: string;
  user_id: number;
  /** Sealed. */
  content: string;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Users who consented to keeping their prompts, and since when. */
    content_consents: { user_id: number; created_at: number };
    request_contents: ContentTable;
  }
}

export type ContentRow = ContentTable;

export const hasConsent = (db: Db, userId: number): Promise<boolean> =>
  hasRow(db, 'content_consents', { user_id: userId });

export const giveConsent = (db: Db, userId: number, now: number): Promise<unknown> =>
  db
    .insertInto('content_consents')
    .values({ user_id: userId, created_at: now })
    .onConflict((c) => c.column('user_id').doNothing())
    .execute();

export const takeConsentBack = (db: Db, userId: number): Promise<unknown> =>
  db.deleteFrom('content_consents').where('user_id', '=', userId).execute();

/**
 * Users who consent. On PostgreSQL the rows are locked until the transaction ends, so that a withdrawal afterwards
 * deletes what was written meanwhile.
 */
async function agreeing(tx: Db, userIds: number[]): Promise<Set<number>> {
  const rows = await tx
    .selectFrom('content_consents')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .$if(engineOf(tx) === 'postgres', (held) => held.forShare())
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/**
 * Stores contents of users who still consent, as an answer may end after a withdrawal. For one request the last entry
 * wins: a broken stream may be noted after its prompt.
 */
export const insertContents = (db: Db, rows: ContentRow[]): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const agreed = await agreeing(tx, [...new Set(rows.map(({ user_id }) => user_id))]);
    const last = new Map(rows.map((row) => [row.request_id, row]));
    const kept = [...last.values()].filter(({ user_id }) => agreed.has(user_id));
    if (kept.length === 0) return;
    await tx
      .insertInto('request_contents')
      .values(kept)
      .onConflict((c) => c.column('request_id').doUpdateSet((e) => ({ content: e.ref('excluded.content') })))
      .execute();
  });

export const findContent = (db: Db, requestId: string): Promise<ContentRow | null> =>
  findRow(db, 'request_contents', { request_id: requestId });

const inOrder = (db: Db, userId: number, after: ContentRow | null) =>
  db
    .selectFrom('request_contents')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_at', '>=', after?.created_at ?? 0)
    .$if(after !== null, (rows) =>
      rows.where((e) => e.or([e('created_at', '>', after!.created_at), e('request_id', '>', after!.request_id)])),
    )
    .orderBy('created_at')
    .orderBy('request_id');

/** Decrypted by `open`; null if no key can open it any more. */
export const exportOf = (db: Db, userId: number, open: (sealed: string) => string | null): PersonalData => ({
  kept_since: onePage(() =>
    db.selectFrom('content_consents').select('created_at').where('user_id', '=', userId).execute(),
  ),
  request_contents: (async function* () {
    const read = (after: ContentRow | null, limit: number) => inOrder(db, userId, after).limit(limit).execute();
    for await (const rows of pages<ContentRow>(read))
      yield rows.map(({ content, ...row }) => ({ ...row, content: open(content) }));
  })(),
});

/** At most `most`, of one user or older than a time; returns how many were deleted. */
export async function deleteContents(
  db: Db,
  which: { userId: number } | { before: number },
  most: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('request_contents')
    .where('request_id', 'in', (e) => {
      const some = e.selectFrom('request_contents').select('request_id').limit(most);
      return 'userId' in which ? some.where('user_id', '=', which.userId) : some.where('created_at', '<', which.before);
    })
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export const resealContents = resealing('request_contents', ['request_id'], 'content');

/** What a user stores here, in bytes. */
export const storedBytesOf = async (db: Db, userId: number) => ({
  contents: await sizeOf(db, {
    ...{ table: 'request_contents', where: sql`user_id = ${userId}`, by: ['created_at', 'request_id'] },
    texts: ['content'],
  }),
});
