import { terms } from '../../server/src/orchestra/search/terms.ts';
import { toUnit } from '../../server/src/orchestra/search/vectors.ts';
import { search } from '../../server/src/orchestra/turn/recall.ts';
import { openFile } from '../kit/engine.ts';
import type { Said } from './conversations.ts';
import type { Embedder } from './embedders.ts';
import { model, storeConversations, userId } from './stored-conversations.ts';
import type { Kind, Place, Talks } from './talks.ts';

const top = 10;

/** Why evidence is not in the top ten. */
export const misses = ['shares no word', 'words only around it', 'outranked'] as const;
type Miss = (typeof misses)[number];

export interface Answered {
  kind: Kind;
  /** Of the messages that a question needs. */
  any: boolean;
  all: boolean;
  missed: Miss[];
}

/** Runs every question through the engine's search and checks which of its evidence messages are in the top ten. */
export async function askAll({ sessions, questions }: Talks, embed: Embedder | null): Promise<Answered[]> {
  const shelf = await storeConversations(await openFile(), sessions, embed ?? (() => new Float32Array(1)));
  const speakers = new Set(sessions.flat().flatMap(({ text }) => terms(/^\w+(?=: )/.exec(text)?.[0] ?? '')));
  const answered: Answered[] = [];
  for (const { kind, text, evidence } of questions) {
    const query = embed && { model, vector: toUnit(embed(text)) };
    const found = await search(shelf.orchestra, { userId }, text, query, top);
    const ids = new Set(found.map(({ messageId }) => messageId));
    const absent = evidence.filter(([session, at]) => !ids.has(shelf.ids[session]![at]!));
    const asked = new Set(terms(text).filter((term) => !speakers.has(term)));
    const missed = absent.map((place) => whyMissed(sessions, place, asked));
    answered.push({ kind, any: absent.length < evidence.length, all: absent.length === 0, missed });
  }
  await shelf.close();
  return answered;
}

/** Speakers' names do not count, because half of all messages contain them. */
function whyMissed(sessions: Said[][], [session, at]: Place, asked: Set<string>): Miss {
  const said = sessions[session]!;
  const shares = (one: Said | undefined) => terms(one?.text ?? '').some((term) => asked.has(term));
  if (shares(said[at])) return 'outranked';
  return [-2, -1, 1, 2].some((away) => shares(said[at + away])) ? 'words only around it' : 'shares no word';
}

/** The same messages, each as a conversation of its own. */
export function alone({ sessions, questions }: Talks): Talks {
  const starts = sessions.map((_, i) => sessions.slice(0, i).flat().length);
  const moved = ([session, at]: Place): Place => [starts[session]! + at, 0];
  return {
    sessions: sessions.flat().map((said): Said[] => [said]),
    questions: questions.map((question) => ({ ...question, evidence: question.evidence.map(moved) })),
  };
}

export const share = (answered: Answered[], of: 'any' | 'all'): number =>
  answered.filter((one) => one[of]).length / Math.max(1, answered.length);
