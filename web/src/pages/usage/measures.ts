import { formatCompact, formatNumber, formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { UsageSum } from './usage-queries.ts';

export type MeasureName = 'cost' | 'requests' | 'tokens';

export interface Measure {
  label: string;
  of: (sum: UsageSum) => number;
  /** Exact, for tooltips and lists. */
  format: (value: number) => string;
  /** Short, for axes. */
  brief: (value: number) => string;
  /** Whether an axis may name parts of one. */
  fractions: boolean;
}

/** Where all is nothing an axis would still count up, to amounts that nobody has spent. */
export const axisOf = (values: number[]): { ticks?: number[]; domain?: [number, number] } =>
  values.every((value) => value === 0) ? { ticks: [0], domain: [0, 1] } : {};

/** What the charts can show. */
export const measures: Record<MeasureName, Measure> = {
  cost: { label: t('Cost'), of: ({ quota }) => quota, format: formatQuota, brief: formatQuota, fractions: true },
  requests: {
    label: t('Requests'),
    of: ({ requests }) => requests,
    format: formatNumber,
    brief: formatCompact,
    fractions: false,
  },
  tokens: {
    label: t('Tokens'),
    of: ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens,
    format: formatNumber,
    brief: formatCompact,
    fractions: false,
  },
};
