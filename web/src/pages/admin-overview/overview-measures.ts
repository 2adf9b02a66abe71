import { formatCompact, formatMs, formatNumber, formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { Sums } from './overview-query.ts';
import type { MeasureName } from './overview-range.ts';

export interface Measure {
  label: string;
  /** Null where there is nothing to measure. */
  of: (sums: Sums) => number | null;
  /** Exact, for tooltips and lists. */
  format: (value: number) => string;
  /** Short, for axes. */
  brief: (value: number) => string;
  /** Whether an axis may name parts of one. */
  fractions: boolean;
  /** Whether the parts come to the whole; else each is a line of its own. */
  adds: boolean;
}

const counted = { format: formatNumber, brief: formatCompact, fractions: false, adds: true };

export const measures: Record<MeasureName, Measure> = {
  cost: {
    ...{ label: t('Spend'), of: ({ quota }) => quota, format: formatQuota, brief: formatQuota },
    ...{ fractions: true, adds: true },
  },
  requests: { ...counted, label: t('Requests'), of: ({ requests }) => requests },
  failures: { ...counted, label: t('Failed'), of: ({ failures }) => failures },
  latency: {
    ...{ label: t('Latency'), of: ({ p95_ms }) => p95_ms, format: formatMs, brief: formatMs },
    ...{ fractions: true, adds: false },
  },
};
