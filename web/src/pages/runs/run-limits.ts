import { t } from '../../language/words.ts';
import type { RunStatus } from './runs-queries.ts';

/** The cost limit of a run, and which tool calls need approval. */
export interface RunLimits {
  /** US dollars; empty for no limit. */
  maxCost: number | string;
  approve: RunStatus['approve'];
}
export type RunLimitFaults = { maxCost?: string };

export const defaultRunLimits: RunLimits = { maxCost: '', approve: 'marked' };

export const runLimitsOf = ({ max_cost, approve }: Pick<RunStatus, 'max_cost' | 'approve'>): RunLimits => ({
  maxCost: max_cost ?? '',
  approve,
});

export const approveWords: { value: RunLimits['approve']; label: string }[] = [
  { value: 'marked', label: t('Ask before tools that require approval') },
  { value: 'always', label: t('Ask before every tool call') },
  { value: 'never', label: t('Never ask') },
];

const most = 1_000_000;

export function runLimitFaults({ maxCost }: RunLimits): RunLimitFaults {
  // Until the field is left, it holds an amount such as `2.50` as text.
  if (maxCost === '' || (Number(maxCost) > 0 && Number(maxCost) <= most)) return {};
  return { maxCost: t('Enter more than 0 dollars, or leave empty for no limit.') };
}

const costOf = (maxCost: number | string): number | null => (maxCost === '' ? null : Number(maxCost));

/** Sends only changed fields. */
export const runLimitChanges = (before: RunLimits, { maxCost, approve }: RunLimits) => ({
  ...(costOf(maxCost) !== costOf(before.maxCost) && { max_cost: costOf(maxCost) }),
  ...(approve !== before.approve && { approve }),
});
