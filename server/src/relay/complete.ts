import type { Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Attempt } from '../routing/plan.ts';
import { charge, chatEstimate } from './bill.ts';
import type { Errand, RelayDeps } from './deps.ts';
import { DispatchFault, dispatchChat, kindOf, targetOf } from './dispatch.ts';
import { fitsPrompt } from './fits.ts';
import { inlineImages } from './inline-images.ts';
import { openCall } from './open-call.ts';
import { OutputCounter } from './output-counter.ts';
import { type Prompt, promptOf } from './prompt.ts';
import { tryCandidates } from './try-candidates.ts';
import { readText } from './upstream/source.ts';
import { type Answer, type Conversation, UpstreamFault } from './wire/conversation.ts';
import { type AnswerSummary, summarizeAnswer } from './wire/watch.ts';

export interface Completed {
  answer: Answer;
  /** What the upstream sent. */
  text: string;
  usage: Usage;
  candidate: Candidate;
  /** Public name of the model. */
  modelId: string;
  /** Charged, in quota. */
  cost: number;
}

/** The story of one request that is answered whole: plan, hold, ask, settle, answer. */
export async function complete(deps: RelayDeps, errand: Errand, conversation: Conversation): Promise<Completed> {
  const prompt = promptOf(conversation);
  const estimate = chatEstimate(prompt, conversation.params);
  const call = await openCall(deps, errand, conversation.model, 'chat', estimate, fitsPrompt(prompt));
  const asked = await tryCandidates(deps, errand, call, (attempt) => ask(deps, errand, conversation, attempt));
  const { answer, text, summary, attempt, startedMs } = asked;
  const { candidate } = attempt;
  const usage = summary.usageIsFinal && summary.usage ? summary.usage : await countUsage(prompt, answer);
  attempt.report({
    outcome: 'success',
    latencyMs: deps.clock.nowMs() - startedMs,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    wellFormed: summary.complete,
    nonEmpty: summary.hasOutput,
    validStructured: summary.wellFormed,
  });
  call.plan.close();
  if (!summary.hasOutput) {
    await deps.billing.release(call.hold);
    return { answer, text, usage, candidate, modelId: call.modelId, cost: 0 };
  }
  const bill = { candidate, usage, status: 'ok', stream: false, startedMs } as const;
  const { cost, written } = charge(deps, errand, call.hold, bill);
  await written;
  return { answer, text, usage, candidate, modelId: call.modelId, cost };
}

interface Asked {
  answer: Answer;
  text: string;
  summary: AnswerSummary;
  attempt: Attempt;
  startedMs: number;
}

async function ask(deps: RelayDeps, errand: Errand, conversation: Conversation, attempt: Attempt): Promise<Asked> {
  const kind = kindOf(attempt.candidate);
  const inlined = inlineImages(kind, conversation, deps.baseUrl, errand);
  const given = inlined instanceof Promise ? await inlined : inlined;
  const request = kind.toUpstream(given, targetOf(attempt.candidate, errand));
  const sent = dispatchChat(deps, attempt, request, errand, false);
  try {
    const told = sent.answer(await sent.head());
    const read = readText(told.body);
    const text = typeof read === 'string' ? read : await read;
    if (told.status < 200 || told.status > 299)
      throw new UpstreamFault(kind.errorOf(told.status, told.headers(), text));
    const answer = kind.fromUpstream(parse(text, sent.startedMs));
    const summary = summarizeAnswer(answer, conversation.params.responseFormat !== undefined);
    return { answer, text, summary, attempt, startedMs: sent.startedMs };
  } catch (error) {
    if (error instanceof UpstreamFault || error instanceof DispatchFault) throw error;
    throw sent.fault(error);
  } finally {
    sent.done();
  }
}

function parse(text: string, startedMs: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DispatchFault('malformed', startedMs, 'the upstream sent an answer that is not JSON');
  }
}

/** For upstreams that do not count. */
async function countUsage(prompt: Prompt, answer: Answer): Promise<Usage> {
  const output = new OutputCounter();
  summarizeAnswer(answer, false, output.add);
  return { promptTokens: await prompt.count(), completionTokens: await output.count() };
}
