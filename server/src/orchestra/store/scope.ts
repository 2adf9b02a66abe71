import type { Db } from '../../platform/db/tables.ts';
import { processInSlices, yieldToEventLoop } from '../work-slices.ts';
import './tables.ts';

/** The user, and optional filters. */
export interface Scope {
  userId: number;
  /** Null: of no project. */
  projectId?: string | null;
  only?: 'knowledge';
  /** Entries of this category. */
  category?: string;
  /** False: only entries that were written or learned, not passages of files. */
  fromFile?: false;
  /** True: only entries learned from conversations, not what the user or a client wrote. */
  learned?: true;
  /** The current session is excluded, because it is already in the context. */
  exceptSession?: number;
}

/** Filters the documents by the scope, keeping their order. */
export async function withinScope(db: Db, scope: Scope, ids: number[]): Promise<number[]> {
  const rows = await processInSlices(ids, (slice) => inScope(db, scope, slice).select('d.id').execute());
  const inside = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => inside.has(id));
}

/** Those of the documents that are in the scope. */
export const inScope = (db: Db, scope: Scope, ids: number[]) =>
  documentsOf(db, scope)
    .where('d.id', 'in', ids)
    .where((eb) =>
      scope.exceptSession === undefined
        ? eb.lit(true)
        : eb.or([eb('d.session_ref', 'is', null), eb('d.session_ref', '!=', scope.exceptSession)]),
    );

function documentsOf(db: Db, { userId, projectId, only, category, fromFile, learned }: Scope) {
  let query = db
    .selectFrom('ms_documents as d')
    .leftJoin('ms_knowledge as k', 'k.id', 'd.knowledge_ref')
    .where('d.user_id', '=', userId);
  if (projectId !== undefined) query = query.where('d.project_id', projectId === null ? 'is' : '=', projectId);
  if (only === 'knowledge') query = query.where('d.knowledge_ref', 'is not', null);
  if (category !== undefined) query = query.where('k.category', '=', category);
  if (fromFile === false) query = query.where('k.source_ref', 'is', null);
  if (learned) query = query.where('k.source_session', 'is not', null);
  return query;
}

/** Documents that are listed for a search by meaning: their ids take a few milliseconds to read. */
const mostListed = 5000;

/** Which documents a search by meaning compares with. */
export interface Compared {
  isWanted(documentId: number): boolean;
  /** False: the scope has too many documents to list them, so what was found must be filtered. */
  exact: boolean;
}

/** The index of vectors does not know the scope; a filter after the nearest were chosen would lose those further off. */
export async function comparedIn(db: Db, scope: Scope): Promise<Compared> {
  const own = scope.exceptSession === undefined ? new Set<number>() : await ofSession(db, scope.exceptSession);
  const isElsewhere = (id: number): boolean => !own.has(id);
  if (scope.only === undefined && scope.projectId === undefined) return { isWanted: isElsewhere, exact: true };
  const listed = await listOf(db, scope);
  if (listed.size > mostListed) return { isWanted: isElsewhere, exact: false };
  return { isWanted: (id) => listed.has(id) && isElsewhere(id), exact: true };
}

function listOf(db: Db, scope: Scope): Promise<Set<number>> {
  const { userId, projectId, only, category, fromFile, learned } = scope;
  if (only !== 'knowledge')
    return inPages((before, limit) =>
      documentsOf(db, scope)
        .select(['d.id', 'd.id as at'])
        .where('d.id', '<', before)
        .orderBy('d.id', 'desc')
        .limit(limit)
        .execute(),
    );
  // From the entries: their index knows categories.
  return inPages((before, limit) => {
    let entries = db
      .selectFrom('ms_knowledge as k')
      .innerJoin('ms_documents as d', 'd.knowledge_ref', 'k.id')
      .select(['d.id', 'k.id as at'])
      .where('k.user_id', '=', userId)
      .where('k.id', '<', before);
    if (category !== undefined) entries = entries.where('k.category', '=', category);
    if (fromFile === false) entries = entries.where('k.source_ref', 'is', null);
    if (learned) entries = entries.where('k.source_session', 'is not', null);
    if (projectId !== undefined) entries = entries.where('d.project_id', projectId === null ? 'is' : '=', projectId);
    return entries.orderBy('k.id', 'desc').limit(limit).execute();
  });
}

const ofSession = (db: Db, sessionRef: number): Promise<Set<number>> =>
  inPages((before, limit) =>
    db
      .selectFrom('ms_documents')
      .select(['id', 'id as at'])
      .where('session_ref', '=', sessionRef)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );

type Page = (before: number, limit: number) => Promise<{ id: number; at: number }[]>;

/** Ids read before yielding to other requests. */
const pageRows = 500;

/** The newest documents, up to one page more than are listed. */
async function inPages(page: Page): Promise<Set<number>> {
  const ids = new Set<number>();
  for (let before = Number.MAX_SAFE_INTEGER; ids.size <= mostListed; ) {
    const rows = await page(before, pageRows);
    for (const { id } of rows) ids.add(id);
    if (rows.length < pageRows) break;
    before = rows.at(-1)!.at;
    await yieldToEventLoop();
  }
  return ids;
}
