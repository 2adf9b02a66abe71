import { shortened } from '../../lib/cut-text.ts';
import { buildContext, sumTokens } from '../context.ts';
import { contextBudget } from '../fit-window.ts';
import { type ChatMessage, textOf } from '../messages.ts';
import { chooseHelperModel } from '../models.ts';
import { fenceRule, newFence } from '../prompts/fence.ts';
import { memoryMessages } from '../prompts/memory.ts';
import { recentMessages } from '../store/messages.ts';
import { latestSummary } from '../store/summaries.ts';
import { resultShare } from '../task/results.ts';
import { newMeter } from '../turn/meter.ts';
import { embedQuery, type Recalled, recall, within } from '../turn/recall.ts';
import { stepSearchCalls } from './ask-once.ts';
import { Pause } from './halt.ts';
import { live, type RunTask } from './state.ts';
import { resultText, wholeText } from './texts.ts';
import { askAny, pauseAtMaxCost, requireText, stepKey, type Work } from './work.ts';

const recalledAtMost = 8;
/** Matches with a lower score have little to do with the goal. */
const leastRelevance = 0.5;
/** Maximum share of the context for recalled text and for the conversation; results get the rest. */
const recalledShare = 0.15;
const conversationShare = 0.35;
const longestShort = 600;

/** Recalls what past sessions and the knowledge base contain about the goal, at the start and after each resume. */
export async function recallMemory(work: Work): Promise<void> {
  const { deps, caller, choosing, signal, goal, state, holding, count, journal, preferences } = work;
  if (state.recall !== null) return;
  pauseAtMaxCost(work);
  const key = stepKey(work, 'recall');
  const asking = { ...deps, ...stepSearchCalls(work, key) };
  const searching = { deps: asking, caller, choosing, signal, meter: newMeter(), settings: { preferences } };
  const query = preferences.enable_embedding ? await embedQuery(searching, goal) : null;
  const scope = { userId: caller.userId, exceptSession: holding.sessionRef };
  const wanted = { text: goal, query, scope, most: recalledAtMost, threshold: leastRelevance, preferences };
  const found = await recall(searching, wanted);
  const room = contextBudget(choosing, preferences.max_context_tokens, 'common');
  const kept = await within(found, room * recalledShare, count);
  const before = await count(goal);
  const text = JSON.stringify(kept);
  work.texts.set(key, text);
  state.recall = key;
  state.tokens += searching.meter.promptTokens;
  state.cost += searching.meter.cost;
  journal.tell('memory_operation', {
    operation: 'recall',
    tokens_before: before,
    tokens_after: before + sumTokens(kept),
  });
  await journal.record(key, { text }, searching.meter.promptTokens);
}

/** Builds the context that precedes each task's instruction: memory, and the conversation up to the goal. */
export async function loadContext(work: Work): Promise<void> {
  const { deps, holding, state, preferences, goal } = work;
  const history = await recentMessages(deps.db, holding.sessionRef);
  const at = history.findLastIndex(({ message }) => message.role === 'user' && textOf(message) === goal);
  const before = at < 0 ? history : history.slice(0, at);
  const summary = await latestSummary(deps.db, holding.sessionRef);
  const most = contextBudget(work.choosing, preferences.max_context_tokens, 'common');
  const budget = Math.floor(most * conversationShare);
  const talk = buildContext({ mode: 'summarized', history: before, summary, budget });
  const recalled = JSON.parse(work.texts.get(state.recall ?? '') ?? '[]') as Recalled[];
  const memory = memoryMessages({ summary: talk.summary?.text ?? null, recalled }, newFence());
  work.context = [...memory, ...talk.messages.map(({ message }) => message)];
  tellContext(work, talk.tokensUsed + sumTokens(recalled), sumTokens(before) > sumTokens(talk.messages));
}

/**
 * Shortens long results in prompts if all of them together would exceed their share of the context; the full text stays
 * in the journal.
 */
export async function fitResults(work: Work): Promise<void> {
  const { state, count, preferences, journal } = work;
  const limit = contextBudget(work.choosing, preferences.max_context_tokens, 'common') * resultShare;
  const sized: { task: RunTask; tokens: number }[] = [];
  for (const task of live(state)) {
    const text = resultText(work, task);
    if (text !== null) sized.push({ task, tokens: await count(text) });
  }
  let total = sumTokens(sized);
  let compressed = false;
  for (const { task, tokens } of sized.toSorted((a, b) => b.tokens - a.tokens)) {
    if (total <= limit) break;
    if (state.shortened[task.step!] !== undefined) continue;
    const key = stepKey(work, `short:${task.id}:${task.attempts}`);
    const { text, operation } = await shorten(work, key, wholeText(work, task)!, tokens);
    work.texts.set(key, text);
    state.shortened[task.step!] = key;
    const after = total - tokens + (await count(text));
    journal.tell('memory_operation', { operation, tokens_before: total, tokens_after: after });
    total = after;
    compressed = true;
    await journal.record(key, { text });
  }
  tellContext(work, total, compressed);
}

interface Shortened {
  text: string;
  operation: 'summarize' | 'archive';
}

async function shorten(work: Work, step: string, text: string, tokens: number): Promise<Shortened> {
  // Fallback without a summary: use the beginning of the text; the full text stays in the journal.
  const archived: Shortened = { text: shortened(text, longestShort * 4), operation: 'archive' };
  try {
    const messages = shorteningMessages(text);
    // Twice the requested length: one that is cut off loses the end of the result.
    const params = { max_tokens: 2 * longestShort };
    const short = (
      await askAny(work, { step, choose: chooseHelperModel, messages, params, requireFit: requireText })
    ).trim();
    return short === '' || (await work.count(short)) >= tokens ? archived : { text: short, operation: 'summarize' };
  } catch (error) {
    work.signal.throwIfAborted();
    if (error instanceof Pause && error.reason !== 'provider_unavailable') throw error;
    return archived;
  }
}

function shorteningMessages(text: string, fence = newFence()): ChatMessage[] {
  const parts = [
    'Shorten the result of a task for those who work on with it. Keep facts, numbers, names, decisions and code identifiers; leave out wording. At most 300 words, in the language of the text. Answer with the short form alone.',
    fenceRule(fence),
    fence.wrap('result', text),
  ];
  return [{ role: 'user', content: parts.join('\n\n') }];
}

function tellContext({ journal, preferences }: Work, used: number, compressed: boolean): void {
  journal.tell('context_updated', {
    tokens_used: used,
    tokens_limit: preferences.max_context_tokens,
    compressed,
  });
}
