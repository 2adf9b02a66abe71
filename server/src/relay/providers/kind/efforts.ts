import { type Effort, efforts } from '../../wire/conversation.ts';

/** The level that is asked for, or the next above it that a model takes: others are refused. */
export function nearestEffort(taken: readonly Effort[], asked: Effort): Effort {
  const least = efforts.indexOf(asked);
  return taken.find((effort) => efforts.indexOf(effort) >= least) ?? taken.at(-1)!;
}

/** A budget of thinking tokens as the nearest level. */
export function effortOf(budgetTokens: number | undefined): Effort {
  if (budgetTokens === undefined) return 'medium';
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 12_288 ? 'medium' : 'high';
}
