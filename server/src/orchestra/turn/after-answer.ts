import type { Db } from '../../platform/db/tables.ts';
import { askShaped } from '../ask-shaped.ts';
import {
  areDistinctFacts,
  type Fact,
  factsShape,
  groundedFacts,
  isSameFact,
  type QuotedFact,
  sameMeaning,
} from '../knowledge-facts.ts';
import { type ChatMessage, type StoredTurnMessage, saidByUser, textOf } from '../messages.ts';
import { chooseEmbeddingModel, chooseHelperModel } from '../models.ts';
import { extractionMessages } from '../prompts/memory-work.ts';
import { isStatement, saidIn } from '../search/terms.ts';
import { dot } from '../search/vectors.ts';
import { documentTerms } from '../store/document-terms.ts';
import { indexDocument } from '../store/index-document.ts';
import {
  addEntry,
  bytesOfEntry,
  changeEntry,
  type Entry,
  entriesByRef,
  entryText,
  identicalEntry,
} from '../store/knowledge.ts';
import { recordOutcomes } from '../store/patterns.ts';
import { addTokensUsed } from '../store/sessions.ts';
import { embedNew } from './embed.ts';
import { embedQuery, search } from './recall.ts';
import { askChosen, now, type Turn } from './turn.ts';

/** The most messages indexed per turn: a client may send a very long history at once. */
const mostIndexed = 500;
/** Shorter answers, such as "Noted, thanks", are never searched for. */
const shortestAnswer = 3;

/** Step 7, off the hot path. Each part runs on its own, so that a failing one does not affect the others. */
export async function runAfterAnswer(
  turn: Turn,
  fresh: StoredTurnMessage[],
  answer: ChatMessage,
  summarising: Promise<unknown>,
): Promise<void> {
  // The client has its answer; if it disconnects now, the answer must still be stored.
  const later: Turn = { ...turn, signal: AbortSignal.timeout(120_000) };
  const part = async (name: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      turn.deps.warn(`${name} failed`, error);
    }
  };
  const count = () => part('counting tokens', () => summarising.then(() => countTokens(turn)));
  if (!turn.settings.remember) return count();
  await part('recording outcomes', () => recordOutcomes(turn.deps.db, turn.caller.userId, turn.outcomes, now(turn)));
  await part('indexing', () => indexMessages(later, fresh));
  if (turn.settings.extractKnowledge) await part('extraction', () => extractKnowledge(later, answer));
  if (turn.settings.embedsAfter) await part('embedding', () => embedNew(later));
  await count();
}

/**
 * Calls that will certainly follow the answer: fact extraction if enabled, and embedding if there is a model for it.
 */
export const callsAfter = ({ settings, choosing }: Turn): number =>
  (settings.extractKnowledge ? 1 : 0) + (settings.embedsAfter && chooseEmbeddingModel(choosing, 'question') ? 1 : 0);

/** Adds the tokens of all calls of the turn, including those after the answer. */
export async function countTokens({ deps, session, meter }: Turn): Promise<void> {
  const used = meter.promptTokens + meter.completionTokens;
  if (used > 0) await addTokensUsed(deps.db, session.ref, used);
}

async function indexMessages(turn: Turn, fresh: StoredTurnMessage[]): Promise<void> {
  const { projectId } = turn.session;
  const ids = new Set(fresh.slice(-mostIndexed).map(({ id }) => id));
  const known = new Map([...turn.history, ...fresh].map((item) => [item.id, item]));
  const ordered = [...known.values()].sort((a, b) => a.id - b.id);
  for (const [i, { id, message }] of ordered.entries()) {
    const text = textOf(message);
    if (!ids.has(id) || !isWorthFinding(message.role, text)) continue;
    await indexDocument(turn.deps.db, {
      userId: turn.caller.userId,
      projectId: turn.settings.project_id ?? projectId,
      sessionRef: turn.session.ref,
      messageId: id,
      beforeId: ordered[i - 1]?.id ?? null,
      terms: documentTerms(text, ordered[i - 1] ? textOf(ordered[i - 1]!.message) : ''),
    });
    // SQLite answers synchronously, so a long history would block the event loop without this.
    await new Promise(setImmediate);
  }
}

/** What the user says in few words is often what matters: "I am vegan." */
function isWorthFinding(role: ChatMessage['role'], text: string): boolean {
  if (role === 'tool') return false;
  return role === 'user' ? isStatement(text) : saidIn(text) >= shortestAnswer;
}

async function extractKnowledge(turn: Turn, answer: ChatMessage): Promise<void> {
  // Only the user's words prove a fact: a model's hallucination or a tool's web result must not become knowledge.
  const messages = extractionMessages([turn.request, answer]);
  const reply = await askShaped((params) => askChosen(turn, chooseHelperModel, { messages, params }), factsShape);
  const said = saidByUser(turn.history, textOf(turn.request));
  for (const fact of groundedFacts(reply, [said])) await keepFact(turn, fact);
}

type Keeping = Pick<Turn, 'deps' | 'caller' | 'choosing' | 'signal' | 'meter' | 'session'> & {
  settings: Pick<Turn['settings'], 'project_id' | 'mayEmbed'>;
};

/** Also used at the end of an autonomous run. Null if the entry to update was deleted meanwhile. */
export async function keepFact(turn: Keeping, fact: QuotedFact): Promise<Entry | null> {
  const { deps, caller, session, settings } = turn;
  const { userId } = caller;
  const projectId = settings.project_id ?? session.projectId;
  const known = await sameFact(turn, fact, projectId);
  if (known && !isLearned(known)) return known;
  const learned = { ...fact, sourceSession: session.sessionId };
  deps.storage.add(userId, bytesOfEntry(learned));
  return writeEntry(deps.db, userId, (tx) =>
    known
      ? changeEntry(tx, userId, known.id, learned, now(turn))
      : addEntry(tx, { ...learned, userId, projectId }, now(turn)),
  );
}

/**
 * Writes an entry and indexes it in one transaction, because an unindexed entry would never be found. Joins the
 * caller's transaction, if there is one.
 */
export const writeEntry = <E extends Entry | null>(
  db: Db,
  userId: number,
  write: (tx: Db) => Promise<E>,
): Promise<E> => {
  const work = async (tx: Db) => {
    const entry = await write(tx);
    if (entry) {
      const { projectId, ref: knowledgeRef } = entry;
      await indexDocument(tx, { userId, projectId, knowledgeRef, terms: documentTerms(entryText(entry)) });
    }
    return entry;
  };
  return db.isTransaction ? work(db) : db.transaction().execute(work);
};

/** From a conversation: not written by the user or a client. */
const isLearned = ({ sourceSession }: Entry): boolean => sourceSession !== null;

/**
 * The project's learned entry that says the same, by words or by meaning, or any entry in exactly these words. Entries
 * imported from files, written by hand, or of other projects are never changed.
 */
async function sameFact(turn: Keeping, fact: Fact, projectId: string | null): Promise<Entry | null> {
  const { userId } = turn.caller;
  const same = await identicalEntry(turn.deps.db, userId, fact, projectId);
  if (same?.source === null) return same;
  const query = turn.settings.mayEmbed ? await embedQuery(turn, entryText(fact)) : null;
  const scope = { userId, projectId, only: 'knowledge', fromFile: false, learned: true } as const;
  const found = await search(turn, scope, entryText(fact), query, 10);
  const entries = await entriesByRef(
    turn.deps.db,
    userId,
    found.flatMap(({ knowledgeRef }) => knowledgeRef ?? []),
  );
  const near = new Set(
    found.flatMap(({ vector, knowledgeRef }) =>
      vector && query && dot(vector, query.vector) >= sameMeaning ? [knowledgeRef] : [],
    ),
  );
  return (
    entries.find((entry) => isSameFact(entry, fact) || (near.has(entry.ref) && !areDistinctFacts(entry, fact))) ?? null
  );
}
