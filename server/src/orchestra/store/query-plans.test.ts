import { describe, expect, test } from 'bun:test';
import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { exportOf } from './account-data.ts';
import { engines } from './db.fixture.ts';
import { isAnyStale, termsVersion } from './document-terms.ts';
import { identicalEntry, newestEntries } from './knowledge.ts';
import { reindexDocuments } from './reindex.ts';
import { comparedIn } from './scope.ts';
import { listSources, sourceOfContent, staleSources } from './sources.ts';
import { claimUnembedded } from './unembedded.ts';

const rows = 10_000;
const fact = { category: 'c', title: 't', content: 'c', keywords: [] };
const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(rows)})`;

/** Users with many entries, each of them with a document that has no vector, and with many files. */
async function fill(db: Db, engine: string): Promise<void> {
  await sql`
    ${numbers} insert into ms_sources (public_id, user_id, name, kind, content_hash, size, category, keywords, replaces, state,
      created_at, updated_at)
    select 'src-' || i, i / 2000, 'n' || (i % 500), 'text', 'h' || i, 1, 'c', '[]', 0,
      case when i % 1000 = 0 then 'waiting' else 'ready' end, i, i from n`.execute(db);
  await sql`
    ${numbers} insert into ms_knowledge
      (public_id, user_id, category, title, content, keywords, source_ref, fingerprint, created_at, updated_at)
    select 'kn-' || i, i / 2000, case when i % 500 = 0 then 'rare' else 'c' || (i % 3) end, 't', 'c', '[]', i, 'f' || i, i, i from n`.execute(
    db,
  );
  const [column, value] = engine === 'postgres' ? [sql`, terms`, sql`, ''::tsvector`] : [sql``, sql``];
  await sql`
    insert into ms_documents (user_id, project_id, knowledge_ref, terms_version${column})
    select user_id, case when id % 500 = 0 then 'p' end, id, ${sql.lit(termsVersion)}${value} from ms_knowledge`.execute(
    db,
  );
  await sql`analyze`.execute(db);
}

/** How the engine goes about the statements that some work consists of. */
async function planOf(db: Db, engine: string, work: (db: Db) => Promise<unknown>): Promise<string> {
  const asked: CompiledQuery[] = [];
  const note: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      asked.push(db.getExecutor().compileQuery(node as RootOperationNode, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work(db.withPlugin(note));
  const how = engine === 'postgres' ? 'explain' : 'explain query plan';
  const plans = asked.map((query) => db.executeQuery(CompiledQuery.raw(`${how} ${query.sql}`, [...query.parameters])));
  return (await Promise.all(plans)).map((plan) => JSON.stringify(plan.rows)).join('\n');
}

describe.each(await engines())('no full table scans, on %s', (engine, open) => {
  test('for the newest entries, export pages and texts to embed', async () => {
    const database = await open();
    const { db } = database;
    await fill(db, engine);
    const works: [string, (db: Db) => Promise<unknown>][] = [
      ['ms_knowledge_newest', (db) => newestEntries(db, { userId: 1, limit: 20 })],
      ['ms_knowledge_user', (db) => newestEntries(db, { userId: 1, category: 'c1', limit: 20 })],
      ['ms_knowledge_newest', (db) => exportOf(db, 1).knowledge![Symbol.asyncIterator]().next()],
      ['ms_knowledge_fingerprint', (db) => identicalEntry(db, 1, fact, null)],
      ['ms_sources_user', (db) => listSources(db, { userId: 1, offset: 0, limit: 20 })],
      ['ms_sources_user', (db) => exportOf(db, 1).sources![Symbol.asyncIterator]().next()],
      ['ms_sources_content', (db) => sourceOfContent(db, { userId: 1, contentHash: 'h1', projectId: null })],
      ['ms_sources_state', (db) => staleSources(db, ['waiting'], 5, 100)],
      ['ms_unembedded_user', (db) => claimUnembedded(db, 'me', 1, 32)],
      ['ms_documents_terms_version', (db) => reindexDocuments(db, 100)],
      ['ms_documents_terms_version', (db) => isAnyStale(db)],
      ['ms_documents_project', (db) => comparedIn(db, { userId: 1, projectId: 'p' })],
      ['ms_knowledge_user', (db) => comparedIn(db, { userId: 1, only: 'knowledge', category: 'rare' })],
    ];
    for (const [index, work] of works) {
      const plan = await planOf(db, engine, work);
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/TEMP B-TREE|SCAN ms_|Seq Scan on ms_|Sort Key/);
    }
    await database.close();
  });
});
