import { shortened } from '../../lib/cut-text.ts';
import type { Choosing } from '../models.ts';
import type { CountText } from '../tokens.ts';

/** A task's result as shown to the tasks that use it. */
export interface SharedResult {
  title: string;
  text: string | null;
  error?: string;
  /** Steps between it and the task that reads it. */
  distance?: number;
  /** The user asked for this result itself. */
  asked?: boolean;
}

/** Maximum share of the context for results; the rest is for the conversation and the answer. */
export const resultShare = 0.5;

/**
 * Fits results into the context of the model that reads them: short ones stay whole and long ones are cut. Of the cut
 * ones, a result twice as far away gets half the length.
 */
export async function fitResultsTo(
  results: SharedResult[],
  model: string | undefined,
  mostTokens: number,
  { choosing, count }: { choosing: Choosing; count: CountText },
): Promise<SharedResult[]> {
  const window = choosing.models.find(({ id }) => id === model)?.contextLength || mostTokens;
  let room = resultShare * Math.min(mostTokens, window);
  const sized = await Promise.all(
    results.map(async (told) => ({ told, weight: 1 / (told.distance ?? 1), tokens: await count(told.text ?? '') })),
  );
  const cut = new Map<SharedResult, SharedResult>();
  let weights = sized.reduce((sum, { weight }) => sum + weight, 0);
  for (const { told, weight, tokens } of sized.toSorted((a, b) => a.tokens / a.weight - b.tokens / b.weight)) {
    const share = (room * weight) / weights;
    if (tokens > share)
      cut.set(told, { ...told, text: shortened(told.text!, Math.floor((told.text!.length * share) / tokens)) });
    room -= Math.min(tokens, share);
    weights -= weight;
  }
  return results.map((told) => cut.get(told) ?? told);
}

/** Fallback without a synthesis: the results that were asked for, or else all of them: better than an error. */
export function joinResults(results: SharedResult[]): string {
  const asked = results.filter((one) => one.asked && one.text !== null);
  return (asked.length > 0 ? asked : results).flatMap(({ text }) => text ?? []).join('\n\n');
}

/** Whether a result that the user wants in full was cut: a synthesis would then be incomplete. */
export const isRequestedCut = (results: SharedResult[], cut: SharedResult[]): boolean =>
  cut.some((told, i) => told.asked && told !== results[i]);
