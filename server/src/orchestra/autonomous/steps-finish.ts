import { factsShape, groundedFacts } from '../knowledge-facts.ts';
import { type ChatMessage, saidByUser, textOf } from '../messages.ts';
import { type Choosing, chooseHelperModel, chooseTaskModel, synthesisDifficulty } from '../models.ts';
import { newFence } from '../prompts/fence.ts';
import { extractionMessages } from '../prompts/memory-work.ts';
import { synthesisMessages } from '../prompts/plan.ts';
import { documentTerms } from '../store/document-terms.ts';
import { indexDocument } from '../store/index-document.ts';
import { appendMessages, recentMessages, type StoredMessage } from '../store/messages.ts';
import { recordOutcomes } from '../store/patterns.ts';
import { sessionByRef } from '../store/sessions.ts';
import { callFault } from '../task/call-fault.ts';
import { UnfitAnswer } from '../task/failover.ts';
import { fitResultsTo, isRequestedCut, joinResults } from '../task/results.ts';
import { answeringTask } from '../task/schedule.ts';
import { weighOne } from '../tokens.ts';
import { keepFact } from '../turn/after-answer.ts';
import { newMeter } from '../turn/meter.ts';
import { stepSearchCalls } from './ask-once.ts';
import { isRefused } from './halt.ts';
import { instructionParts } from './instructions.ts';
import { live, shortfallsOf, tally } from './state.ts';
import { LeaseLost } from './store/commit.ts';
import { resultText, wholeText } from './texts.ts';
import { askAny, now, requireText, stepKey, type Work } from './work.ts';

/** The goal is reached: builds the result, extracts knowledge from it and completes the run. */
export async function finishRun(work: Work): Promise<void> {
  const { state, journal, deps, holding, elapsedMs } = work;
  const result = await resultOf(work);
  if (work.preferences.enable_knowledge_extraction && !state.extracted) await extractKnowledge(work, result);
  const session = await sessionByRef(deps.db, holding.sessionRef, now(work));
  const message: ChatMessage = { role: 'assistant', content: result };
  const tokens = await weighOne(message);
  const before = session?.totalTokens ?? 0;
  journal.tell('memory_operation', { operation: 'store', tokens_before: before, tokens_after: before + tokens });
  journal.checkpoint();
  const { completed, failed } = tally(state);
  journal.tell('execution_completed', {
    result,
    goal_confidence: state.confidence,
    tasks_completed: completed,
    tasks_failed: failed,
    tokens_used: state.tokens,
    elapsed_secs: Math.floor(elapsedMs() / 1000),
    shortfalls: shortfallsOf(state),
  });
  let stored: StoredMessage[] | null = null;
  await journal.end({ status: 'completed', result }, async (tx) => {
    stored = await appendMessages(tx, holding.sessionRef, [{ message, tokens }], now(work));
  });
  await index(work, stored ?? [], session?.projectId ?? null);
}

/** The text of the single task that all others lead to, or one text combined from several tasks. */
async function resultOf(work: Work): Promise<string> {
  const { state, goal, context, journal } = work;
  const made = state.result === null ? undefined : work.texts.get(state.result);
  if (made !== undefined) return made;
  const last = answeringTask(live(state));
  const text = last && wholeText(work, last);
  if (text) return text;
  const step = stepKey(work, `result:${state.iteration}`);
  const results = live(state).map((task) => ({
    title: task.title,
    text: task.asked_for ? wholeText(work, task) : resultText(work, task),
    asked: task.asked_for,
    ...(task.error && { error: task.error }),
  }));
  const request: ChatMessage = { role: 'user', content: [goal, ...instructionParts(state)].join('\n\n') };
  const choose = (choosing: Choosing) => chooseTaskModel(choosing, synthesisDifficulty, 'writing');
  const told = await fitResultsTo(results, choose(work.choosing)?.model, work.preferences.max_context_tokens, work);
  const messages = synthesisMessages({ context, request, results: told, fence: newFence() });
  const result = isRequestedCut(results, told)
    ? joinResults(results)
    : await askAny(work, { step, messages, choose, requireFit: requireText }).catch((error) => {
        if (error instanceof UnfitAnswer || isRefused(error)) return joinResults(results);
        throw error;
      });
  work.texts.set(step, result);
  state.result = step;
  await journal.record(step, { text: result });
  return result;
}

/** Extracts facts that the user's own words support. A failure loses the knowledge, but does not fail the run. */
async function extractKnowledge(work: Work, result: string): Promise<void> {
  const { deps, caller, choosing, signal, goal, journal, holding, state } = work;
  const session = await sessionByRef(deps.db, holding.sessionRef, now(work));
  if (!session) return;
  const step = stepKey(work, 'knowledge');
  const answer: ChatMessage = { role: 'assistant', content: result };
  try {
    const messages = extractionMessages([{ role: 'user', content: goal }, answer]);
    const reply = await askAny(work, { step, choose: chooseHelperModel, messages, shape: factsShape });
    const entries: { id: string; category: string; title: string }[] = [];
    const said = saidByUser(await recentMessages(deps.db, holding.sessionRef), goal);
    const asking = { ...deps, ...stepSearchCalls(work, step) };
    const meter = newMeter();
    const settings = { mayEmbed: work.preferences.enable_embedding };
    const storage = { deps: asking, caller, choosing, signal, session, settings, meter };
    for (const fact of groundedFacts(reply, [said])) {
      const entry = await keepFact(storage, fact);
      if (entry) entries.push({ id: entry.id, category: entry.category, title: entry.title });
    }
    journal.tell('knowledge_extracted', { count: entries.length, entries });
    state.extracted = true;
    state.tokens += meter.promptTokens;
    state.cost += meter.cost;
    await journal.record(step, { entries }, meter.promptTokens);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LeaseLost || callFault(error) === 'database') throw error;
    deps.warn('knowledge was not extracted from a run', error);
  }
}

/** Indexes the result for later sessions and records model outcomes. The run is over, so errors are only logged. */
async function index(work: Work, stored: StoredMessage[], projectId: string | null): Promise<void> {
  const { deps, caller, holding, outcomes, goal } = work;
  try {
    await recordOutcomes(deps.db, caller.userId, outcomes, now(work));
    for (const { id, message } of stored) {
      await indexDocument(deps.db, {
        userId: caller.userId,
        projectId,
        sessionRef: holding.sessionRef,
        messageId: id,
        beforeId: null,
        terms: documentTerms(textOf(message), goal),
      });
    }
  } catch (error) {
    deps.warn('a finished run was not indexed', error);
  }
}
