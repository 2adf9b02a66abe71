import type { Effort, Reasoning } from '../../wire/conversation.ts';
import { effortOf, nearestEffort } from '../kind/efforts.ts';

const usual: readonly Effort[] = ['low', 'medium', 'high'];

/** Supported levels, ascending; the first match wins. */
const levels: [RegExp, readonly Effort[]][] = [
  [/gpt-(5\.[6-9]|[6-9])/, ['none', ...usual, 'xhigh', 'max']],
  [/gpt-5\.[2-5]|codex-max/, ['none', ...usual, 'xhigh']],
  [/gpt-5\.1/, ['none', ...usual]],
  [/gpt-5/, ['minimal', ...usual]],
];

/** The effort sent for a model name. */
export const effortFor = (modelName: string, { effort, budgetTokens }: Reasoning): Effort =>
  nearestEffort(levels.find(([names]) => names.test(modelName))?.[1] ?? usual, effort ?? effortOf(budgetTokens));
