import { buildContext, summaryDue, sumTokens, withItsRequest } from '../context.ts';
import { contextBudget } from '../fit-window.ts';
import { type ChatMessage, isInstruction, textOf } from '../messages.ts';
import { memoryMessages } from '../prompts/memory.ts';
import { neighbourCount, rank } from '../search/rank.ts';
import { historyWindow } from '../store/messages.ts';
import { latestSummary } from '../store/summaries.ts';
import { sessionVectors } from '../store/vectors.ts';
import { weigh } from '../tokens.ts';
import { embedQuery, type QueryVector, recall, within } from './recall.ts';
import { summarise } from './summarise.ts';
import { metaOf, type Turn } from './turn.ts';

export interface Remembering {
  /** The client's own instructions and the engine's memory. */
  preamble: ChatMessage[];
  /** The part of the conversation that is sent; ends with the request. */
  conversation: ChatMessage[];
  /** Resolves, never rejects, when a summary that was due is finished; true if it was stored. */
  summarising: Promise<boolean>;
}

/** Recalled texts may take this share of the window; the conversation has priority. */
const recalledShare = 0.25;
/** Number of the session's messages that `selective` mode retrieves. */
const nearestCount = 12;

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Steps 2 and 3: the memory and conversation for the models, within the budget. */
export async function remember(turn: Turn): Promise<Remembering> {
  const { settings, history, deps, session } = turn;
  const instructions = turn.body.messages.filter(isInstruction);
  const text = textOf(turn.request);
  const selective = settings.memory_mode === 'selective';
  const wanted = settings.use_vector_search || (selective && settings.mayEmbed);
  const query = wanted ? await embedQuery(turn, text) : null;
  const found = settings.use_vector_search ? await recall(turn, pastOn(turn, text, query)) : [];
  const room = contextBudget(turn.choosing, settings.maxContextTokens, 'largest');
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
  // Use the smallest window: messages that do not fit there would be dropped without being summarized.
  const budget = contextBudget(turn.choosing, settings.maxContextTokens, 'common');
  const due = summaryDue({ autoSummarize: settings.summarises, threshold, budget, raw });
  return {
    preamble: [...instructions, ...memoryMessages({ summary: context.summary?.text ?? null, recalled }, turn.fence)],
    conversation: withItsRequest(context, history).map(({ message }) => message),
    summarising: due ? summarise(turn, summary, raw.slice(0, -1)) : Promise.resolve(false),
  };
}

/** Step 3: the search in past sessions and the knowledge base. */
const pastOn = ({ settings, caller, session }: Turn, text: string, query: QueryVector | null) => ({
  text,
  query,
  scope: { userId: caller.userId, projectId: settings.project_id, exceptSession: session.ref },
  most: settings.vector_top_k,
  threshold: settings.rerank_threshold,
  preferences: settings.preferences,
});

/** Ids of the session's own messages most similar to the request, most similar first. */
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
      before: spoken.slice(Math.max(0, i - neighbourCount), i).reverse(),
      after: spoken.slice(i + 1, i + 1 + neighbourCount),
    },
  }));
  const ranked = await rank({ text, vector: query?.vector ?? null }, candidates);
  return ranked
    .filter(({ score, relevance }) => score > 0 && relevance > 0)
    .slice(0, nearestCount)
    .map(({ id }) => id);
}
