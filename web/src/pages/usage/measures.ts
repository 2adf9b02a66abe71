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
  /** Whether the axis may have fractional ticks. */
  fractions: boolean;
}

/** If all values are zero, show only the zero: the default axis would label amounts that were never spent. */
export const axisOf = (values: number[]): { ticks?: number[]; domain?: [number, number] } =>
  values.every((value) => value === 0) ? { ticks: [0], domain: [0, 1] } : {};

/** The measures that charts can show. */
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
