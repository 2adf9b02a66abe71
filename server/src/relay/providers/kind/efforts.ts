import { type Effort, efforts } from '../../wire/conversation.ts';

/** The requested level, or the next higher one the model accepts. */
export function nearestEffort(taken: readonly Effort[], asked: Effort): Effort {
  const least = efforts.indexOf(asked);
  return taken.find((effort) => efforts.indexOf(effort) >= least) ?? taken.at(-1)!;
}

/** The level nearest to a token budget. */
export function effortOf(budgetTokens: number | undefined): Effort {
  if (budgetTokens === undefined) return 'medium';
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 12_288 ? 'medium' : 'high';
}
