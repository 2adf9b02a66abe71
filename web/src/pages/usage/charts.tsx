/** The only file that imports the chart library; loaded lazily when there is something to draw. */
import { BarChart, LineChart } from '@mantine/charts';
import { locale, t } from '../../language/words.ts';
import { axisOf, type Measure } from './measures.ts';
import type { UsageSum } from './usage-queries.ts';

const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Places labels at equal distances. By default some are dropped, so that time seems to pass unevenly. */
const timeAxis = { minTickGap: 24, interval: 'equidistantPreserveStart' } as const;

export interface DayChartProps {
  sums: UsageSum[];
  /** All days in order, including those without requests. */
  days: string[];
  measure: Measure;
}

/**
 * One bar per day. What the page has loaded already is passed in: importing it here too would put it into a separate
 * file.
 */
export function DayChart({ sums, days, measure }: DayChartProps) {
  const { label, of, format, brief, fractions } = measure;
  const byDay = new Map(sums.map((sum) => [sum.day, of(sum)]));
  const data = days.map((day) => ({
    day: shortDay(day),
    [label]: byDay.get(day) ?? 0,
  }));
  const axis = axisOf([...byDay.values()]);
  const total = sums.reduce((sum, one) => sum + of(one), 0);
  return (
    <div
      role="img"
      aria-label={t('{measure} per day, {total} in {days, plural, one {# day} other {# days}}', {
        measure: label,
        total: format(total),
        days: data.length,
      })}
    >
      <BarChart
        h={240}
        data={data}
        dataKey="day"
        series={[{ name: label, color: 'indigo.5' }]}
        valueFormatter={format}
        yAxisProps={{ tickFormatter: brief, width: 64, allowDecimals: fractions, ...axis }}
        xAxisProps={timeAxis}
        tickLine="none"
        maxBarWidth={28}
        barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}

export interface SeriesChartProps {
  height: number;
  /** The chart's accessible name. */
  label: string;
  series: { key: string; label: string; color: string; pick: (() => void) | undefined }[];
  /** `at`, and each series' value by its key. */
  rows: Record<string, number | string | null>[];
  /** Stacked bars if true, else one line per series. */
  stacked: boolean;
  format: (value: number) => string;
  brief: (value: number) => string;
  fractions: boolean;
}

/** Several series over time. The legend is a list beside the chart, so that series can also be selected by keyboard. */
export function SeriesChart({ height, label, series, rows, stacked, format, brief, fractions }: SeriesChartProps) {
  const common = {
    h: height,
    data: rows,
    dataKey: 'at',
    series: series.map(({ key, label, color }) => ({ name: key, label, color })),
    valueFormatter: format,
    yAxisProps: { tickFormatter: brief, width: 76, allowDecimals: fractions },
    xAxisProps: timeAxis,
    tickLine: 'none' as const,
  };
  const picks = new Map(series.map(({ key, pick }) => [key, pick]));
  return (
    <div role="img" aria-label={label}>
      {stacked ? (
        <BarChart
          {...common}
          type="stacked"
          maxBarWidth={28}
          barProps={({ name }) => {
            const onClick = picks.get(name);
            return { isAnimationActive: false, ...(onClick && { onClick, cursor: 'pointer' }) };
          }}
          barChartProps={{ accessibilityLayer: false }}
        />
      ) : (
        <LineChart
          {...common}
          curveType="linear"
          connectNulls
          dotProps={{ r: 2 }}
          lineProps={{ isAnimationActive: false }}
          lineChartProps={{ accessibilityLayer: false }}
        />
      )}
    </div>
  );
}
