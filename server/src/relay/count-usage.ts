import type { Usage } from '../lib/money.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { type Bounds, fillUsage, isPlausible } from './plausible-usage.ts';
import type { AnswerSummary } from './wire/watch.ts';

/** Counts the halves of a usage that the upstream did not report plausibly, and keeps its count of the other half. */
export async function countUsage(
  deps: Pick<RelayDeps, 'log'>,
  context: Pick<RequestContext, 'requestId'>,
  { usage: reported, usageIsFinal }: Pick<AnswerSummary, 'usage' | 'usageIsFinal'>,
  bounds: Bounds,
  prompt: { count(): Promise<number> },
  output: { countOutput(): Promise<number> },
): Promise<Usage> {
  const knowsPrompt = isPlausible(reported?.promptTokens, bounds.promptTokens);
  const knowsOutput = usageIsFinal && isPlausible(reported?.completionTokens, bounds.completionTokens);
  const counted = {
    ...(!knowsPrompt && { promptTokens: await prompt.count() }),
    ...(!knowsOutput && { completionTokens: await output.countOutput() }),
  };
  const usage = fillUsage(reported, counted, bounds);
  if (usageIsFinal) logImplausibleUsage(deps, context, reported, usage);
  return usage;
}

/** The same for endpoints with a single count. */
export async function plausibleOrCounted(
  deps: Pick<RelayDeps, 'log'>,
  context: Pick<RequestContext, 'requestId'>,
  reported: number | undefined,
  most: number,
  count: () => number | Promise<number>,
): Promise<{ tokens: number; estimated?: true }> {
  if (isPlausible(reported, most)) return { tokens: reported };
  const tokens = Math.min(await count(), most);
  if (reported !== undefined) logImplausibleUsage(deps, context, reported, tokens);
  return { tokens, estimated: true };
}

export function logImplausibleUsage(
  { log }: Pick<RelayDeps, 'log'>,
  { requestId }: Pick<RequestContext, 'requestId'>,
  reported: unknown,
  counted: unknown,
): void {
  log.warn({ requestId, reported, counted }, 'an upstream reported implausible usage; tokens were counted locally');
}
