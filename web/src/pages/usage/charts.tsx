/** The only file that pulls in the chart library; loaded when there is something to draw. */
import { BarChart } from '@mantine/charts';
import { daysBetween } from '../../dates.ts';
import { type MeasureName, measures } from './measures.ts';
import type { UsageSum } from './usage-queries.ts';
import type { Range } from './usage-range.ts';

const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

interface DayChartProps {
  sums: UsageSum[];
  range: Range;
  measure: MeasureName;
}

/** A bar for each day, also for those without a request. */
export function DayChart({ sums, range, measure }: DayChartProps) {
  const { label, of, format, brief } = measures[measure];
  const byDay = new Map(sums.map((sum) => [sum.day, of(sum)]));
  const data = daysBetween(range.first, range.last).map((day) => ({
    day: shortDay(day),
    [label]: byDay.get(day) ?? 0,
  }));
  const total = sums.reduce((sum, one) => sum + of(one), 0);
  return (
    <div role="img" aria-label={`${label} per day, ${format(total)} in ${data.length} days`}>
      <BarChart
        h={240}
        data={data}
        dataKey="day"
        series={[{ name: label, color: 'indigo.5' }]}
        valueFormatter={format}
        yAxisProps={{ tickFormatter: brief, width: 64, allowDecimals: measure === 'cost' }}
        xAxisProps={{ minTickGap: 24 }}
        tickLine="none"
        maxBarWidth={28}
        barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
