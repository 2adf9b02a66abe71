import { t } from '../../language/words.ts';
import type { RunStatus } from './runs-queries.ts';

/** The cost limit of a run, and which tool calls need approval. */
export interface Care {
  /** US dollars; empty for no limit. */
  maxCost: number | string;
  approve: RunStatus['approve'];
}
export type CareFaults = { maxCost?: string };

export const defaultCare: Care = { maxCost: '', approve: 'marked' };

export const careOf = ({ max_cost, approve }: Pick<RunStatus, 'max_cost' | 'approve'>): Care => ({
  maxCost: max_cost ?? '',
  approve,
});

export const approveWords: { value: Care['approve']; label: string }[] = [
  { value: 'marked', label: t('Ask before tools that require approval') },
  { value: 'always', label: t('Ask before every tool call') },
  { value: 'never', label: t('Never ask') },
];

const most = 1_000_000;

export function careFaults({ maxCost }: Care): CareFaults {
  if (maxCost === '' || (typeof maxCost === 'number' && maxCost > 0 && maxCost <= most)) return {};
  return { maxCost: t('Enter more than 0 dollars, or leave empty for no limit.') };
}

/** Sends only changed fields. */
export const careChanges = (before: Care, { maxCost, approve }: Care) => ({
  ...(maxCost !== before.maxCost && { max_cost: typeof maxCost === 'number' ? maxCost : null }),
  ...(approve !== before.approve && { approve }),
});
