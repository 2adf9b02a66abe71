import { t } from '../../language/words.ts';
import type { RunStatus } from './runs-queries.ts';

/** What a run may cost, and which calls of tools wait for a person. */
export interface Care {
  /** Dollars; empty for no limit. */
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
  { value: 'marked', label: t('Ask before tools that are marked') },
  { value: 'always', label: t('Ask before every call of a tool') },
  { value: 'never', label: t('Never ask') },
];

const most = 1_000_000;

export function careFaults({ maxCost }: Care): CareFaults {
  if (maxCost === '' || (typeof maxCost === 'number' && maxCost > 0 && maxCost <= most)) return {};
  return { maxCost: t('More than 0 dollars, or nothing for no limit.') };
}

/** Only what was changed. */
export const careChanges = (before: Care, { maxCost, approve }: Care) => ({
  ...(maxCost !== before.maxCost && { max_cost: typeof maxCost === 'number' ? maxCost : null }),
  ...(approve !== before.approve && { approve }),
});
