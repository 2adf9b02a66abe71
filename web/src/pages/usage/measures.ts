import { formatCompact, formatNumber, formatQuota } from '../../format.ts';
import type { UsageSum } from './usage-queries.ts';

export type MeasureName = 'cost' | 'requests' | 'tokens';

interface Measure {
  label: string;
  of: (sum: UsageSum) => number;
  /** Exact, for tooltips and lists. */
  format: (value: number) => string;
  /** Short, for axes. */
  brief: (value: number) => string;
}

/** What the charts can show. */
export const measures: Record<MeasureName, Measure> = {
  cost: { label: 'Cost', of: ({ quota }) => quota, format: formatQuota, brief: formatQuota },
  requests: { label: 'Requests', of: ({ requests }) => requests, format: formatNumber, brief: formatCompact },
  tokens: {
    label: 'Tokens',
    of: ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens,
    format: formatNumber,
    brief: formatCompact,
  },
};
