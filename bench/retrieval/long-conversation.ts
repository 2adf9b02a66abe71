import { sql } from 'kysely';
import { terms } from '../../server/src/orchestra/search/terms.ts';
import { signBits, toBlob } from '../../server/src/orchestra/search/vectors.ts';
import { appendMessages } from '../../server/src/orchestra/store/messages.ts';
import { openSession } from '../../server/src/orchestra/store/sessions.ts';
import type { OpenDb } from '../../server/src/platform/db/open.ts';
import { writeSync } from '../../server/src/platform/db/sqlite-dialect.ts';
import { randomOf } from '../kit/random.ts';
import { conversationsOf } from './conversations.ts';
import { weak } from './embedders.ts';
import { model, userId } from './stored-conversations.ts';

export interface Remembered {
  role: 'user' | 'assistant';
  text: string;
  words: string;
  bits: Uint8Array;
  vector: Uint8Array;
}

export interface LongConversation {
  messages: Remembered[];
  questions: { text: string; at: number }[];
}

const rareWords = 20_000;
const rows = 500;

/** A conversation as stored in the database; each message also has some words with a realistic frequency (Zipf). */
export function longConversationOf(seed: number): LongConversation {
  const { sessions, questions } = conversationsOf(seed);
  const random = randomOf('many', seed);
  const rare = () => `word${Math.floor(rareWords ** random())}`;
  const starts = sessions.map((_, i) => sessions.slice(0, i).flat().length);
  const said = sessions
    .flat()
    .map((one) => ({ ...one, text: `${one.text} ${Array.from({ length: 8 }, rare).join(' ')}` }));
  const messages = said.map(({ role, text }, i) => {
    const before = said[i - 1]?.text ?? '';
    const vector = weak(text);
    // Words in the form of the engine's index, see store/documents.ts: prefixed per user.
    const words = [...terms(text), ...terms(before)].map((term) => `u${userId}x${term}`).join(' ');
    return { role, text, words, bits: signBits(vector), vector: toBlob(vector) };
  });
  return { messages, questions: questions.map(({ text, session, at }) => ({ text, at: starts[session]! + at })) };
}

/** Writes in bulk what the engine writes one by one. Returns the message ids in order. */
export async function store(opened: OpenDb, { messages }: LongConversation, sessionId: string): Promise<number[]> {
  const { db } = opened;
  const { session } = await openSession(db, { userId, sessionId }, 0);
  const added = messages.map(({ role, text }) => ({ message: { role, content: text }, tokens: 30 }));
  const ids = (await appendMessages(db, session.ref, added, 0))!.map(({ id }) => id);
  for (let from = 0; from < messages.length; from += rows) {
    const part = messages.slice(from, from + rows);
    const made = part.map(({ words }, i) => ({
      user_id: userId,
      session_ref: session.ref,
      message_id: ids[from + i]!,
      before_id: ids[from + i - 1] ?? null,
      ...(opened.engine === 'postgres' && { terms: sql`to_tsvector('simple', ${words})` }),
    }));
    const documents = await db.insertInto('ms_documents').values(made).returning(['id', 'message_id']).execute();
    const documentOf = new Map(documents.map(({ id, message_id }) => [message_id, id]));
    const of = (i: number) => documentOf.get(ids[from + i]!)!;
    if (opened.engine === 'sqlite')
      await writeSync(db, (writer) => {
        const insert = writer.query("insert into ms_documents_fts (rowid, owner, terms) values (?, '', ?)");
        part.forEach(({ words }, i) => void insert.run(of(i), words));
      });
    const vectors = part.map(({ bits, vector }, i) => ({ document_id: of(i), user_id: userId, model, bits, vector }));
    await db.insertInto('ms_vectors').values(vectors).execute();
  }
  return ids;
}
