import { sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { spokenText } from '../messages.ts';
import type { Corpus } from '../search/bm25.ts';
import { fromBlob } from '../search/vectors.ts';
import { processInSlices } from '../work-slices.ts';
import { isAnyStale, ownWord, scopeWords } from './document-terms.ts';
import { entryText, type FileSource, fileSource } from './knowledge.ts';
import { inScope, type Scope } from './scope.ts';
import './tables.ts';

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

/** Of many, those at the start and at the end: what is asked is mostly before or after a text that was pasted. */
const lookedUp = (distinct: string[]): string[] =>
  distinct.length <= mostAsked ? distinct : [...distinct.slice(0, mostAsked / 2), ...distinct.slice(-mostAsked / 2)];

export async function countTerms(db: Db, userId: number, terms: string[]): Promise<TermCounts> {
  const asked = new Map(lookedUp([...new Set(terms)]).map((term) => [ownWord(userId, term), term]));
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
  const { narrow, without } = scopeWords(scope, await isAnyStale(db));
  if (engineOf(db) === 'postgres') {
    const query = [...narrow, ...without.map((word) => `!${word}`), `(${words.join(' | ')})`].join(' & ');
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
  const match = `(${query.join(' AND ')})${without.map((word) => ` NOT owner:"${word}"`).join('')}`;
  // A word in nearly all documents says nothing: take the newest, because scoring them all would block other requests.
  const order = known.holders.get(wanted[0]!)! > mostMatches ? sql`rowid desc` : sql`bm25(ms_documents_fts, 0.0, 1.0)`;
  const { rows } = await sql<{ id: number }>`
    select rowid as id from ms_documents_fts where ms_documents_fts match ${match}
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
