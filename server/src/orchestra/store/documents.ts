import { sql } from 'kysely';
import { sha256Hex } from '../../lib/hashing.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { fromBlob } from '../search/vectors.ts';
import './tables.ts';

/** Whose documents, and which of them. */
export interface Scope {
  userId: number;
  projectId?: string;
  only?: 'knowledge';
  /** The conversation under way is in the context already. */
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

/** A tsvector takes a megabyte, and what is said after this many words is seldom what a text is about. */
const mostTerms = 4000;

/** Adds a document to the word index, in place of an earlier one of the same message or entry. */
export async function indexDocument(db: Db, document: NewDocument): Promise<number> {
  const { messageId = null, knowledgeRef = null } = document;
  const words = document.terms.slice(0, mostTerms).join(' ');
  const owner = ownerWords(document);
  return db.transaction().execute(async (tx) => {
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
  });
}

/** Owner and project are words of the document, so that the index itself leaves out what is another's. */
const ownerWords = ({ userId, projectId, knowledgeRef }: NewDocument): string =>
  [`u${userId}`, ...(projectId ? [projectWord(userId, projectId)] : []), ...(knowledgeRef ? [`k${userId}`] : [])].join(
    ' ',
  );

const projectWord = (userId: number, projectId: string): string => `u${userId}p${sha256Hex(projectId).slice(0, 20)}`;

const scopeWords = ({ userId, projectId, only }: Scope): string[] => [
  projectId ? projectWord(userId, projectId) : `u${userId}`,
  ...(only === 'knowledge' ? [`k${userId}`] : []),
];

/** Documents that hold any of the terms, the likeliest first. Terms are letters and digits only, see terms.ts. */
export async function documentsWithTerms(db: Db, scope: Scope, terms: string[], limit: number): Promise<number[]> {
  const wanted = [...new Set(terms)].slice(0, 64);
  if (wanted.length === 0) return [];
  if (engineOf(db) === 'postgres') {
    const any = wanted.map((term) => `'${term}'`).join(' | ');
    const query = `${scopeWords(scope).join(' & ')} & (${any})`;
    const { rows } = await sql<{ id: number }>`
      select d.id from ms_documents d, to_tsquery('simple', ${query}) q
      where d.terms @@ q order by ts_rank(d.terms, q) desc, d.id desc limit ${sql.lit(limit)}`.execute(db);
    return rows.map(({ id }) => id);
  }
  const owner = scopeWords(scope)
    .map((word) => `owner:"${word}"`)
    .join(' AND ');
  const query = `${owner} AND terms:(${wanted.map((term) => `"${term}"`).join(' OR ')})`;
  const { rows } = await sql<{ id: number }>`
    select rowid as id from ms_documents_fts where ms_documents_fts match ${query}
    order by bm25(ms_documents_fts, 0.0, 1.0) limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ id }) => id);
}

export interface FoundDocument {
  documentId: number;
  messageId: number | null;
  knowledgeRef: number | null;
  /** Where it comes from, in words for the model. */
  source: string;
  text: string;
  before?: string;
  vector: Float32Array | null;
}

/** The documents of these ids that lie in the scope, with their texts and, of that model, their vectors. */
export async function loadDocuments(
  db: Db,
  scope: Scope,
  ids: number[],
  model: string | null,
): Promise<FoundDocument[]> {
  if (ids.length === 0) return [];
  let query = db
    .selectFrom('ms_documents as d')
    .leftJoin('ms_messages as m', 'm.id', 'd.message_id')
    .leftJoin('ms_messages as b', 'b.id', 'd.before_id')
    .leftJoin('ms_sessions as s', 's.id', 'd.session_ref')
    .leftJoin('ms_knowledge as k', 'k.id', 'd.knowledge_ref')
    .leftJoin('ms_vectors as v', (join) => join.onRef('v.document_id', '=', 'd.id').on('v.model', '=', model ?? ''))
    .select(['d.id', 'd.message_id', 'd.knowledge_ref', 's.session_id', 'v.vector'])
    .select(['m.message', 'b.message as before', 'k.title', 'k.content', 'k.keywords'])
    .where('d.user_id', '=', scope.userId)
    .where('d.id', 'in', ids);
  if (scope.projectId !== undefined) query = query.where('d.project_id', '=', scope.projectId);
  if (scope.only === 'knowledge') query = query.where('d.knowledge_ref', 'is not', null);
  if (scope.exceptSession !== undefined) {
    const { exceptSession } = scope;
    query = query.where((eb) => eb.or([eb('d.session_ref', 'is', null), eb('d.session_ref', '!=', exceptSession)]));
  }
  return (await query.execute()).map((row) => ({
    documentId: row.id,
    messageId: row.message_id,
    knowledgeRef: row.knowledge_ref,
    source: row.knowledge_ref === null ? `conversation ${row.session_id}` : 'knowledge base',
    text: row.message === null ? `${row.title}\n${row.content}\n${keywords(row.keywords)}` : spoken(row.message),
    before: row.before === null ? undefined : spoken(row.before),
    vector: row.vector === null ? null : fromBlob(row.vector),
  }));
}

const spoken = (message: string): string => textOf(JSON.parse(message) as ChatMessage);
const keywords = (json: string | null): string => (JSON.parse(json ?? '[]') as string[]).join(' ');
