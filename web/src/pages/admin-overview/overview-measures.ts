import { formatCompact, formatMs, formatNumber, formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { Sums } from './overview-query.ts';
import type { MeasureName } from './overview-range.ts';

export interface Measure {
  label: string;
  /** Null if there is no data. */
  of: (sums: Sums) => number | null;
  /** Exact, for tooltips and lists. */
  format: (value: number) => string;
  /** Short, for axis labels. */
  brief: (value: number) => string;
  /** Whether the axis may have fractional ticks. */
  fractions: boolean;
  /** Whether the series add up to the total and can be stacked; else each is drawn as its own line. */
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
