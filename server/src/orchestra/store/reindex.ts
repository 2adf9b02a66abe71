import { type Db, engineOf } from '../../platform/db/tables.ts';
import { spokenText } from '../messages.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { documentTerms, termColumns, termsVersion, writeTerms } from './document-terms.ts';
import { lockSource } from './index-document.ts';
import { entryText } from './knowledge.ts';
import './tables.ts';

/**
 * Indexes documents of an earlier rule again, a limited number at a time; returns how many. Their vectors remain, as
 * they would be paid for again.
 */
export async function reindexDocuments(db: Db, most: number): Promise<number> {
  const stale = await db
    .selectFrom('ms_documents')
    .selectAll()
    .where('terms_version', '<', termsVersion)
    .orderBy('terms_version')
    .orderBy('id')
    .limit(most)
    .execute();
  for (const document of stale) {
    await db.transaction().execute((tx) => reindex(tx, document));
    await yieldToEventLoop();
  }
  return stale.length;
}

interface Document {
  id: number;
  user_id: number;
  project_id: string | null;
  session_ref: number | null;
  message_id: number | null;
  before_id: number | null;
  knowledge_ref: number | null;
}

async function reindex(tx: Db, document: Document): Promise<void> {
  const { id, user_id: userId, project_id: projectId } = document;
  const [sessionRef, messageId, knowledgeRef] = [document.session_ref, document.message_id, document.knowledge_ref].map(
    (ref) => ref ?? undefined,
  );
  const source = await lockSource(tx, { sessionRef, messageId, knowledgeRef });
  const own = tx.selectFrom('ms_documents').select('terms_version').where('id', '=', id);
  const now = await (engineOf(tx) === 'postgres' ? own.forUpdate() : own).executeTakeFirst();
  // Changed or deleted meanwhile, or done by another process.
  if (!now || now.terms_version >= termsVersion) return;
  const update = tx.updateTable('ms_documents').where('id', '=', id);
  // A message that was superseded is not searched any more.
  if (!source) return void (await update.set({ terms_version: termsVersion }).execute());
  const terms = documentTerms(...(await textsOf(tx, document)));
  const described = { userId, projectId, sessionRef, entry: source.entry };
  await update.set(termColumns(tx, described, terms)).execute();
  await writeTerms(tx, id, described, terms);
}

/** The text of an entry, or of a message and the one before it. */
async function textsOf(tx: Db, document: Document): Promise<string[]> {
  if (document.knowledge_ref !== null) {
    const entry = await tx
      .selectFrom('ms_knowledge')
      .select(['title', 'keywords', 'content'])
      .where('id', '=', document.knowledge_ref)
      .executeTakeFirstOrThrow();
    return [entryText({ ...entry, keywords: JSON.parse(entry.keywords) as string[] })];
  }
  const message = await tx
    .selectFrom('ms_messages')
    .select(['id', 'session_ref', 'message'])
    .where('id', '=', document.message_id!)
    .executeTakeFirstOrThrow();
  const before = tx.selectFrom('ms_messages').select('message').where('session_ref', '=', message.session_ref);
  const named = await (document.before_id === null
    ? // The result of a run names none: the goal is before it.
      before.where('superseded', '=', 0).where('id', '<', message.id).orderBy('id', 'desc').limit(1)
    : before.where('id', '=', document.before_id)
  ).executeTakeFirst();
  return [message, ...(named ? [named] : [])].map((one) => spokenText(one.message));
}
