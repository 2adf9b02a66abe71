import { buildContext, summaryDue, sumTokens } from '../context.ts';
import { contextRoom } from '../fit.ts';
import { type ChatMessage, isInstruction, textOf } from '../messages.ts';
import { memoryMessages } from '../prompts/memory.ts';
import { lenders, rank } from '../search/rank.ts';
import { historyWindow } from '../store/messages.ts';
import { latestSummary } from '../store/summaries.ts';
import { sessionVectors } from '../store/vectors.ts';
import { weigh } from '../tokens.ts';
import { embedQuery, type QueryVector, recall, within } from './recall.ts';
import { summarise } from './summarise.ts';
import { metaOf, type Turn } from './turn.ts';

export interface Remembering {
  /** The client's own instructions and what the engine remembers. */
  preamble: ChatMessage[];
  /** The part of the conversation that is sent, the request at its end. */
  conversation: ChatMessage[];
  /** Resolves, never rejects, when the summary that fell due is made; true when it was stored. */
  summarising: Promise<boolean>;
}

/** Recalled text may take this share of the window; the conversation itself comes first. */
const recalledShare = 0.25;
/** Messages of the session that `selective` brings back. */
const nearestCount = 12;

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Steps 2 and 3: what the models are told of the past, within the budget. */
export async function remember(turn: Turn): Promise<Remembering> {
  const { settings, history, deps, session } = turn;
  const instructions = turn.body.messages.filter(isInstruction);
  const text = textOf(turn.request);
  const selective = settings.memory_mode === 'selective';
  const wanted = settings.use_vector_search || (selective && settings.mayEmbed);
  const query = wanted ? await embedQuery(turn, text) : null;
  const found = settings.use_vector_search ? await recall(turn, pastOn(turn, text, query)) : [];
  const room = contextRoom(turn.choosing, settings.maxContextTokens, 'largest');
  const recalled = await within(found, room * recalledShare, turn.count);
  const summary = await latestSummary(deps.db, session.ref);
  const fixed = sum(await weigh(instructions)) + sumTokens(recalled);
  const context = buildContext({
    mode: settings.memory_mode,
    history,
    summary,
    budget: Math.max(0, room - fixed),
    nearest: selective ? await nearest(turn, text, query) : undefined,
    totalTokens: history.length < historyWindow ? undefined : session.totalTokens,
  });
  Object.assign(turn.progress, {
    tokensSaved: context.tokensSaved,
    contextTokens: context.tokensUsed + fixed,
    recalled: recalled.length,
  });
  turn.writer.progress(() => metaOf(turn));
  const raw = history.filter(({ id }) => id > (summary?.upTo ?? 0));
  const { summarize_threshold: threshold } = settings.preferences;
  // What the smallest window has no room for would be left out there, and not be told of at all.
  const budget = contextRoom(turn.choosing, settings.maxContextTokens, 'common');
  const due = summaryDue({ autoSummarize: settings.summarises, threshold, budget, raw });
  return {
    preamble: [...instructions, ...memoryMessages({ summary: context.summary?.text ?? null, recalled }, turn.fence)],
    conversation: context.messages.map(({ message }) => message),
    summarising: due ? summarise(turn, summary, raw.slice(0, -1)) : Promise.resolve(false),
  };
}

/** Step 3: what past sessions and the knowledge base hold on the request. */
const pastOn = ({ settings, caller, session }: Turn, text: string, query: QueryVector | null) => ({
  text,
  query,
  scope: { userId: caller.userId, projectId: settings.project_id, exceptSession: session.ref },
  most: settings.vector_top_k,
  threshold: settings.rerank_threshold,
  preferences: settings.preferences,
});

/** Ids of the session's own messages nearest to the request, nearest first. */
async function nearest(turn: Turn, text: string, query: QueryVector | null): Promise<number[]> {
  const past = turn.history.slice(0, -1);
  const vectors = query ? await sessionVectors(turn.deps.db, turn.session.ref, query.model) : new Map();
  const spoken = past.map(({ id, message }) => ({
    id,
    text: textOf(message),
    vector: (vectors.get(id) as Float32Array | undefined) ?? null,
  }));
  const candidates = spoken.map((one, i) => ({
    ...one,
    around: {
      before: spoken.slice(Math.max(0, i - lenders), i).reverse(),
      after: spoken.slice(i + 1, i + 1 + lenders),
    },
  }));
  const ranked = await rank({ text, vector: query?.vector ?? null }, candidates);
  return ranked
    .filter(({ score, relevance }) => score > 0 && relevance > 0)
    .slice(0, nearestCount)
    .map(({ id }) => id);
}
