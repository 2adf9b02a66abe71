import { sql } from 'kysely';
import { sha256Hex } from '../../lib/hashing.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { indexTerms } from '../search/terms.ts';
import type { Scope } from './scope.ts';
import './tables.ts';

/**
 * The rule by which documents are indexed: their terms, and the words for filters. Raise it with every change of either,
 * so that documents of earlier rules are indexed again; see reindex.ts.
 */
export const termsVersion = 2;

/** Occurrences of terms that are indexed; further on, only terms that did not occur before. */
const mostOccurrences = 4000;
/**
 * Terms of one document: enough for an entry of the greatest length in any script. Limits how long SQLite stops other
 * requests; a tsvector would hold about twice as many.
 */
const mostTerms = 16_000;

/** The terms of a document's own text, and of the one before it: an answer is often found by its question. */
export const documentTerms = (...texts: string[]): string[] => texts.flatMap(indexTerms);

/** Prefixes terms with the user, so that an index lookup never reads other users' rows, however many there are. */
export const ownWord = (userId: number, term: string): string => `u${userId}x${term}`;

/** What the words for filters are made of. */
export interface Filterable {
  userId: number;
  projectId: string | null;
  sessionRef?: number;
  entry: { category: string; fromFile: boolean } | null;
}

const hashed = (text: string): string => sha256Hex(text).slice(0, 20);
const projectWord = (userId: number, projectId: string | null): string =>
  projectId === null ? `n${userId}` : `p${userId}x${hashed(projectId)}`;
const knowledgeWord = (userId: number): string => `k${userId}`;
const categoryWord = (userId: number, category: string): string => `c${userId}x${hashed(category)}`;
const writtenWord = (userId: number): string => `w${userId}`;
const sessionWord = (userId: number, ref: number): string => `s${userId}x${ref}`;

function filterWords({ userId, projectId, sessionRef, entry }: Filterable): string[] {
  const words = [projectWord(userId, projectId)];
  if (sessionRef !== undefined) words.push(sessionWord(userId, sessionRef));
  if (entry) words.push(knowledgeWord(userId), categoryWord(userId, entry.category));
  if (entry && !entry.fromFile) words.push(writtenWord(userId));
  return words;
}

/**
 * The words that all documents in a scope have, and those that none has. Documents of an earlier rule only have those
 * for a project and for knowledge: while there are any, the others are filtered afterwards.
 */
export function scopeWords(scope: Scope, anyStale: boolean): { narrow: string[]; without: string[] } {
  const { userId, projectId, only, category, fromFile, exceptSession } = scope;
  const narrow = projectId ? [projectWord(userId, projectId)] : [];
  if (only === 'knowledge') narrow.push(knowledgeWord(userId));
  if (!anyStale) {
    if (projectId === null) narrow.push(projectWord(userId, null));
    if (category !== undefined) narrow.push(categoryWord(userId, category));
    if (fromFile === false) narrow.push(writtenWord(userId));
  }
  return { narrow, without: exceptSession === undefined ? [] : [sessionWord(userId, exceptSession)] };
}

/** Whether documents of an earlier rule are left. */
export async function isAnyStale(db: Db): Promise<boolean> {
  const stale = db.selectFrom('ms_documents').select('id').where('terms_version', '<', termsVersion).limit(1);
  return (await stale.executeTakeFirst()) !== undefined;
}

/** The columns that hold the terms; SQLite has them in a table of its own, see `writeTerms`. */
export function termColumns(db: Db, document: Filterable, terms: string[]) {
  const version = { terms_version: termsVersion };
  if (engineOf(db) === 'sqlite') return version;
  const { owner, words } = indexed(document, terms);
  return { ...version, terms: sql`to_tsvector('simple', ${`${owner} ${words}`})` } as typeof version;
}

export async function writeTerms(db: Db, id: number, document: Filterable, terms: string[]): Promise<void> {
  if (engineOf(db) === 'postgres') return;
  const { owner, words } = indexed(document, terms);
  await sql`delete from ms_documents_fts where rowid = ${id}`.execute(db);
  await sql`insert into ms_documents_fts (rowid, owner, terms) values (${id}, ${owner}, ${words})`.execute(db);
}

function indexed(document: Filterable, terms: string[]): { owner: string; words: string } {
  const kept = [...terms.slice(0, mostOccurrences), ...new Set(terms.slice(mostOccurrences))].slice(0, mostTerms);
  const words = kept.map((term) => ownWord(document.userId, term)).join(' ');
  return { owner: filterWords(document).join(' '), words };
}
