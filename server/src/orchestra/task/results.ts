import type { Choosing } from '../models.ts';
import type { CountText } from '../tokens.ts';

/** A task's result for whoever works on with it. */
export interface Told {
  title: string;
  text: string | null;
  error?: string;
  /** Steps between it and the task that is told. */
  distance?: number;
  /** The user asked for just this. */
  asked?: boolean;
}

/** Results may take this share of the context; the rest is for the conversation and the answer. */
export const resultShare = 0.5;

/**
 * Results that fit the context of the model that is to read them: short ones whole, long ones cut, and of those one twice
 * as far away half as long.
 */
export async function fitted(
  results: Told[],
  model: string | undefined,
  mostTokens: number,
  { choosing, count }: { choosing: Choosing; count: CountText },
): Promise<Told[]> {
  const window = choosing.models.find(({ id }) => id === model)?.contextLength || mostTokens;
  let room = resultShare * Math.min(mostTokens, window);
  const sized = await Promise.all(
    results.map(async (told) => ({ told, weight: 1 / (told.distance ?? 1), tokens: await count(told.text ?? '') })),
  );
  const cut = new Map<Told, Told>();
  let weights = sized.reduce((sum, { weight }) => sum + weight, 0);
  for (const { told, weight, tokens } of sized.toSorted((a, b) => a.tokens / a.weight - b.tokens / b.weight)) {
    const share = (room * weight) / weights;
    if (tokens > share) cut.set(told, { ...told, text: shortened(told.text!, share / tokens) });
    room -= Math.min(tokens, share);
    weights -= weight;
  }
  return results.map((told) => cut.get(told) ?? told);
}

const shortened = (text: string, part: number): string => `${text.slice(0, Math.floor(text.length * part))}…`;

/** Without a synthesis: what was asked for, else all that was found out, which is worth more than an error. */
export function joined(results: Told[]): string {
  const asked = results.filter((one) => one.asked && one.text !== null);
  return (asked.length > 0 ? asked : results).flatMap(({ text }) => text ?? []).join('\n\n');
}

/** Whether something that the user wants in full was cut: what was made of that would lack the rest. */
export const lacksAsked = (results: Told[], cut: Told[]): boolean =>
  cut.some((told, i) => told.asked && told !== results[i]);
