/** The only file that pulls in the chart library; loaded when there is something to draw. */
import { BarChart } from '@mantine/charts';
import { axisOf, type Measure } from './measures.ts';
import type { UsageSum } from './usage-queries.ts';

const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

interface DayChartProps {
  sums: UsageSum[];
  /** In order, also those without a request. */
  days: string[];
  measure: Measure;
}

/** A bar for each day. What the page has loaded is handed in: imported here as well, it would be a file of its own. */
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
    <div role="img" aria-label={`${label} per day, ${format(total)} in ${data.length} days`}>
      <BarChart
        h={240}
        data={data}
        dataKey="day"
        series={[{ name: label, color: 'indigo.5' }]}
        valueFormatter={format}
        yAxisProps={{ tickFormatter: brief, width: 64, allowDecimals: fractions, ...axis }}
        xAxisProps={{ minTickGap: 24 }}
        tickLine="none"
        maxBarWidth={28}
        barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
