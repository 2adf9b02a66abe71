import { Skeleton } from '@mantine/core';
import { ErrorState } from '../../components/error-state.tsx';
import { later } from '../../later.tsx';
import { notFetched } from '../../load-page-group.ts';
import type { DayChartProps, SeriesChartProps } from './charts.tsx';

/** As high as the chart. It is gone if a new version was deployed since; offline, a reload would only lose the page. */
const Meanwhile = ({ height = 240, failed }: { height?: number; failed: boolean }) =>
  failed ? (
    <ErrorState error={notFetched()} onRetry={navigator.onLine ? () => window.location.reload() : undefined} />
  ) : (
    <Skeleton height={height} />
  );

export const DayChart = later<DayChartProps>(async () => (await import('./charts.tsx')).DayChart, Meanwhile);
export const SeriesChart = later<SeriesChartProps>(async () => (await import('./charts.tsx')).SeriesChart, Meanwhile);
