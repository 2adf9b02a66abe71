import { type Db, engineOf } from '../../platform/db/tables.ts';
import { type Filterable, termColumns, writeTerms } from './document-terms.ts';
import { holdSession } from './sessions.ts';
import './tables.ts';

export interface NewDocument {
  userId: number;
  projectId: string | null;
  sessionRef?: number;
  messageId?: number;
  beforeId?: number | null;
  knowledgeRef?: number;
  terms: string[];
}

/**
 * Indexes a document by its words, replacing an earlier one of the same message or entry; null if that was deleted.
 * Joins the caller's transaction, if there is one.
 */
export async function indexDocument(db: Db, document: NewDocument): Promise<number | null> {
  const { userId, projectId, sessionRef, messageId = null, knowledgeRef = null, terms } = document;
  const index = async (tx: Db): Promise<number | null> => {
    const source = await lockSource(tx, document);
    if (!source) return null;
    const same = tx.deleteFrom('ms_documents').where('user_id', '=', userId);
    if (messageId !== null) await same.where('message_id', '=', messageId).execute();
    if (knowledgeRef !== null) await same.where('knowledge_ref', '=', knowledgeRef).execute();
    const described = { userId, projectId, sessionRef, entry: source.entry };
    const row = {
      user_id: userId,
      project_id: projectId,
      session_ref: sessionRef ?? null,
      message_id: messageId,
      before_id: document.beforeId ?? null,
      knowledge_ref: knowledgeRef,
      ...termColumns(tx, described, terms),
    };
    const { id } = await tx.insertInto('ms_documents').values(row).returning('id').executeTakeFirstOrThrow();
    await writeTerms(tx, id, described, terms);
    return id;
  };
  return db.isTransaction ? index(db) : db.transaction().execute(index);
}

/**
 * Serializes concurrent changes of one entry; deleted or superseded sources are not indexed. Locks the session before
 * its messages, in the same order as its deletion.
 */
export async function lockSource(
  tx: Db,
  { sessionRef, messageId, knowledgeRef }: Pick<NewDocument, 'sessionRef' | 'messageId' | 'knowledgeRef'>,
): Promise<Pick<Filterable, 'entry'> | null> {
  const postgres = engineOf(tx) === 'postgres';
  if (sessionRef !== undefined && !(await holdSession(tx, sessionRef))) return null;
  if (knowledgeRef !== undefined) {
    const entry = tx.selectFrom('ms_knowledge').select(['category', 'source_ref']).where('id', '=', knowledgeRef);
    const found = await (postgres ? entry.forUpdate() : entry).executeTakeFirst();
    return found ? { entry: { category: found.category, fromFile: found.source_ref !== null } } : null;
  }
  const message = tx.selectFrom('ms_messages').select('id').where('id', '=', messageId!).where('superseded', '=', 0);
  return (await (postgres ? message.forUpdate() : message).executeTakeFirst()) ? { entry: null } : null;
}
