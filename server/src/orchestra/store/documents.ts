import { sql } from 'kysely';
import { sha256Hex } from '../../lib/hashing.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { spokenText } from '../messages.ts';
import type { Corpus } from '../search/bm25.ts';
import { fromBlob } from '../search/vectors.ts';
import { processInSlices } from '../work-slices.ts';
import { entryText, type FileSource, fileSource } from './knowledge.ts';
import './tables.ts';

/** The user, and optional filters. */
export interface Scope {
  userId: number;
  projectId?: string;
  only?: 'knowledge';
  /** The current session is excluded, because it is already in the context. */
  exceptSession?: number;
}

export interface NewDocument {
  userId: number;
  projectId: string | null;
  sessionRef?: number;
  messageId?: number;
  beforeId?: number | null;
  knowledgeRef?: number;
  terms: string[];
}

/** A tsvector is limited to one megabyte, and words this far into a text seldom say what it is about. */
const mostTerms = 4000;

/**
 * Indexes a document by its words, replacing an earlier one of the same message or entry; null if that was deleted.
 * Joins the caller's transaction, if there is one.
 */
export async function indexDocument(db: Db, document: NewDocument): Promise<number | null> {
  const { messageId = null, knowledgeRef = null } = document;
  const words = document.terms
    .slice(0, mostTerms)
    .map((term) => ownWord(document.userId, term))
    .join(' ');
  const owner = scopeWords(document.userId, document.projectId, knowledgeRef !== null).join(' ');
  const index = async (tx: Db): Promise<number | null> => {
    if (!(await lockSource(tx, document))) return null;
    const same = tx.deleteFrom('ms_documents').where('user_id', '=', document.userId);
    if (messageId !== null) await same.where('message_id', '=', messageId).execute();
    if (knowledgeRef !== null) await same.where('knowledge_ref', '=', knowledgeRef).execute();
    const row = {
      user_id: document.userId,
      project_id: document.projectId,
      session_ref: document.sessionRef ?? null,
      message_id: messageId,
      before_id: document.beforeId ?? null,
      knowledge_ref: knowledgeRef,
    };
    if (engineOf(tx) === 'postgres') {
      const terms = sql`to_tsvector('simple', ${`${owner} ${words}`})`;
      const insert = tx.insertInto('ms_documents').values({ ...row, terms } as typeof row);
      return (await insert.returning('id').executeTakeFirstOrThrow()).id;
    }
    const { id } = await tx.insertInto('ms_documents').values(row).returning('id').executeTakeFirstOrThrow();
    await sql`insert into ms_documents_fts (rowid, owner, terms) values (${id}, ${owner}, ${words})`.execute(tx);
    return id;
  };
  return db.isTransaction ? index(db) : db.transaction().execute(index);
}

/**
 * Serializes concurrent changes of one entry; deleted or superseded sources are not indexed. Locks the session before
 * its messages, in the same order as its deletion.
 */
async function lockSource(tx: Db, { sessionRef, messageId, knowledgeRef }: NewDocument): Promise<boolean> {
  const postgres = engineOf(tx) === 'postgres';
  if (sessionRef !== undefined) {
    const session = tx.selectFrom('ms_sessions').select('id').where('id', '=', sessionRef);
    if (!(await (postgres ? session.forKeyShare() : session).executeTakeFirst())) return false;
  }
  const source =
    knowledgeRef !== undefined
      ? tx.selectFrom('ms_knowledge').select('id').where('id', '=', knowledgeRef)
      : tx.selectFrom('ms_messages').select('id').where('id', '=', messageId!).where('superseded', '=', 0);
  return (await (postgres ? source.forUpdate() : source).executeTakeFirst()) !== undefined;
}

/** Prefixes terms with the user, so that an index lookup never reads other users' rows, however many there are. */
const ownWord = (userId: number, term: string): string => `u${userId}x${term}`;

/** Terms for the filters of a search. */
const scopeWords = (userId: number, projectId: string | null | undefined, knowledge: boolean): string[] => [
  ...(projectId ? [`p${userId}x${sha256Hex(projectId).slice(0, 20)}`] : []),
  ...(knowledge ? [`k${userId}`] : []),
];

/** How many documents the user has, and how many of them contain each term. */
export interface TermCounts extends Corpus {
  holders: Map<string, number>;
}

/** Maximum number of query terms looked up. */
const mostAsked = 64;
/** Maximum number of matches scored: scoring 100,000 would block every stream. */
const mostMatches = 4000;
/** Counting stops here: rarity is a logarithm, and every row counted takes time. */
const mostCounted = 20_000;

export async function countTerms(db: Db, userId: number, terms: string[]): Promise<TermCounts> {
  const asked = new Map([...new Set(terms)].slice(0, mostAsked).map((term) => [ownWord(userId, term), term]));
  if (asked.size === 0) return { documents: 0, holders: new Map() };
  const words = [...asked.keys()];
  const { rows } = await (engineOf(db) === 'postgres'
    ? sql<{ term: string; doc: number }>`
        select term, (select count(*) from (
          select 1 from ms_documents where terms @@ to_tsquery('simple', term) limit ${sql.lit(mostMatches)}
        ) sample) as doc from unnest(array[${sql.join(words)}]::text[]) as term`
    : sql<{ term: string; doc: number }>`
        select term, doc from ms_documents_vocab where term in (${sql.join(words)})`
  ).execute(db);
  const counted = await sql<{ count: number }>`
    select count(*) as count from (
      select 1 as one from ms_documents where user_id = ${userId} limit ${sql.lit(mostCounted)}
    ) own`.execute(db);
  const holding = rows.filter(({ doc }) => Number(doc) > 0).map(({ term, doc }) => [asked.get(term)!, Number(doc)]);
  return { documents: Number(counted.rows[0]!.count), holders: new Map(holding as [string, number][]) };
}

/** Documents that contain any of the rarer terms, best first. Terms are letters and digits only, see terms.ts. */
export async function documentsWithTerms(
  db: Db,
  scope: Scope,
  terms: string[],
  limit: number,
  counts?: TermCounts,
): Promise<number[]> {
  const known = counts ?? (await countTerms(db, scope.userId, terms));
  const wanted = rarest(known);
  if (wanted.length === 0) return [];
  const words = wanted.map((term) => ownWord(scope.userId, term));
  const narrow = scopeWords(scope.userId, scope.projectId, scope.only === 'knowledge');
  if (engineOf(db) === 'postgres') {
    const query = [...narrow, `(${words.join(' | ')})`].join(' & ');
    // ts_rank ignores rarity: a few common words would outrank the one rare word that matters.
    const weights = wanted.map(
      (term, i) =>
        sql`case when d.terms @@ ${words[i]!}::tsquery then ${sql.lit(rarity(known, term))}::float8 else 0 end`,
    );
    const { rows } = await sql<{ id: number }>`
      select d.id from ms_documents d where d.terms @@ to_tsquery('simple', ${query})
      order by ${sql.join(weights, sql` + `)} desc, d.id desc limit ${sql.lit(limit)}`.execute(db);
    return rows.map(({ id }) => id);
  }
  const query = [...narrow.map((word) => `owner:"${word}"`), `terms:(${words.map((w) => `"${w}"`).join(' OR ')})`];
  // A word in nearly all documents says nothing: take the newest, because scoring them all would block other requests.
  const order = known.holders.get(wanted[0]!)! > mostMatches ? sql`rowid desc` : sql`bm25(ms_documents_fts, 0.0, 1.0)`;
  const { rows } = await sql<{ id: number }>`
    select rowid as id from ms_documents_fts where ms_documents_fts match ${query.join(' AND ')}
    order by ${order} limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ id }) => id);
}

const rarity = ({ documents, holders }: TermCounts, term: string): number =>
  Math.log(1 + Math.max(documents, 1) / holders.get(term)!);

/** The rarest terms, up to the number of matches that can be scored; common terms say little anyway. */
function rarest({ holders }: TermCounts): string[] {
  const chosen: string[] = [];
  let matches = 0;
  for (const [term, count] of [...holders].sort(([, a], [, b]) => a - b)) {
    matches += count;
    if (matches > mostMatches && chosen.length > 0) break;
    chosen.push(term);
  }
  return chosen;
}

/** The origin of a found text. */
export type Source =
  | { kind: 'conversation'; sessionId: string; messageId: number }
  | { kind: 'knowledge'; id: string; title: string; file: FileSource | null };

/** Describes the source to the model, which may have to cite it or decide which of two is newer. */
export function sourceName({ source, writtenAt }: Pick<FoundDocument, 'source' | 'writtenAt'>): string {
  const day = new Date(1000 * writtenAt).toISOString().slice(0, 10);
  if (source.kind === 'conversation') return `conversation ${source.sessionId}, ${day}`;
  return `knowledge base: ${source.file ? placeOf(source.file) : source.title}, ${day}`;
}

const placeOf = ({ name, page, heading }: FileSource): string =>
  [name, page === null ? null : `page ${page}`, heading].filter((part) => part !== null).join(', ');

export interface FoundDocument {
  documentId: number;
  messageId: number | null;
  knowledgeRef: number | null;
  source: Source;
  text: string;
  before?: string;
  vector: Float32Array | null;
  /** When the message was written; null for knowledge. */
  saidAtMs: number | null;
  /** When the message was written, or the entry was last changed. */
  writtenAt: number;
}

/** Filters the documents by the scope, keeping their order. */
export async function withinScope(db: Db, scope: Scope, ids: number[]): Promise<number[]> {
  const rows = await processInSlices(ids, (slice) => inScope(db, scope, slice).select('d.id').execute());
  const inside = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => inside.has(id));
}

function inScope(db: Db, { userId, projectId, only, exceptSession }: Scope, ids: number[]) {
  let query = db.selectFrom('ms_documents as d').where('d.id', 'in', ids).where('d.user_id', '=', userId);
  if (projectId !== undefined) query = query.where('d.project_id', '=', projectId);
  if (only === 'knowledge') query = query.where('d.knowledge_ref', 'is not', null);
  if (exceptSession !== undefined)
    query = query.where((eb) => eb.or([eb('d.session_ref', 'is', null), eb('d.session_ref', '!=', exceptSession)]));
  return query;
}

/** Loads the documents that are in the scope, with their texts and their vectors of this model. */
export async function loadDocuments(
  db: Db,
  scope: Scope,
  ids: number[],
  model: string | null,
): Promise<FoundDocument[]> {
  return processInSlices(ids, (slice) => loadSlice(db, scope, slice, model));
}

async function loadSlice(db: Db, scope: Scope, ids: number[], model: string | null): Promise<FoundDocument[]> {
  const query = inScope(db, scope, ids)
    .leftJoin('ms_messages as m', 'm.id', 'd.message_id')
    .leftJoin('ms_messages as b', 'b.id', 'd.before_id')
    .leftJoin('ms_sessions as s', 's.id', 'd.session_ref')
    .leftJoin('ms_knowledge as k', 'k.id', 'd.knowledge_ref')
    .leftJoin('ms_sources as f', 'f.id', 'k.source_ref')
    .leftJoin('ms_vectors as v', (join) => join.onRef('v.document_id', '=', 'd.id').on('v.model', '=', model ?? ''))
    // Earlier versions left superseded messages in the index.
    .where((eb) => eb.or([eb('m.superseded', 'is', null), eb('m.superseded', '=', 0)]))
    .select(['d.id', 'd.message_id', 'd.knowledge_ref', 's.session_id', 'v.vector'])
    .select(['m.message', 'm.created_at', 'b.message as before', 'k.public_id', 'k.title', 'k.content', 'k.keywords'])
    .select(['f.public_id as source_id', 'f.name as source_name'])
    .select(['k.source_page', 'k.source_heading', 'k.source_position', 'k.updated_at']);
  return (await query.execute()).map((row) => ({
    documentId: row.id,
    messageId: row.message_id,
    knowledgeRef: row.knowledge_ref,
    source:
      row.knowledge_ref === null
        ? { kind: 'conversation', sessionId: row.session_id!, messageId: row.message_id! }
        : { kind: 'knowledge', id: row.public_id!, title: row.title!, file: fileOf(row) },
    text: row.message === null ? textOfEntry(row) : spokenText(row.message),
    before: row.before === null ? undefined : spokenText(row.before),
    vector: row.vector === null ? null : fromBlob(row.vector),
    saidAtMs: row.created_at === null ? null : 1000 * row.created_at,
    writtenAt: row.created_at ?? row.updated_at!,
  }));
}

const textOfEntry = (row: { title: string | null; content: string | null; keywords: string | null }): string =>
  entryText({ title: row.title!, content: row.content!, keywords: JSON.parse(row.keywords ?? '[]') as string[] });

const fileOf = (row: Parameters<typeof fileSource>[2] & { source_id: string | null; source_name: string | null }) =>
  row.source_id === null ? null : fileSource(row.source_id, row.source_name!, row);
