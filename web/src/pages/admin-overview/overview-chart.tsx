import { Group, Skeleton, Text } from '@mantine/core';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { SeriesChart } from '../usage/lazy-charts.tsx';
import { measures } from './overview-measures.ts';
import { colorOf, isOne, nameOf, pointsOf } from './overview-points.ts';
import type { Overview, Series } from './overview-query.ts';
import type { Asked } from './overview-range.ts';

const height = 280;

interface OverviewChartProps {
  asked: Asked;
  query: { data: Overview | undefined; error: unknown; isPlaceholderData: boolean; refetch: () => unknown };
  onPick: (series: Series) => void;
}

function Drawn({
  asked: { by, measure },
  data,
  onPick,
}: {
  asked: Asked;
  data: Overview;
  onPick: OverviewChartProps['onPick'];
}) {
  const shown = measures[measure];
  const series = data.series.map((one, place) => ({
    key: `s${place}`,
    label: nameOf(one, by),
    color: colorOf(place, one),
    pick: isOne(one, by) ? () => onPick(one) : undefined,
  }));
  const total = shown.of(data.total);
  const label =
    total === null
      ? t('{measure} over time, no data', { measure: shown.label })
      : t('{measure} over time, {total} in total', { measure: shown.label, total: shown.format(total) });
  return (
    <SeriesChart
      {...{ height, label, series, rows: pointsOf(data, shown), stacked: shown.adds }}
      {...{ format: shown.format, brief: shown.brief, fractions: shown.fractions }}
    />
  );
}

/** Keeps its height while loading and when empty. */
export function OverviewChart({ asked, query, onPick }: OverviewChartProps) {
  const { data, error, isPlaceholderData, refetch } = query;
  const latency = asked.measure === 'latency';
  const nothing = data && !measures[asked.measure].of(data.total);
  return (
    <Section
      title={t('{measure} by {grouping, select, user {user} model {model} other {channel}}', {
        measure: measures[asked.measure].label,
        grouping: asked.by,
      })}
      description={
        latency ? t('95 % of responses took no longer than this.') : t('Click a segment to see its details.')
      }
    >
      {error && !data ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <Skeleton height={height} />
      ) : nothing ? (
        <Group justify="center" mih={height}>
          <Text size="sm" c="dimmed">
            {t('No data in this period')}
          </Text>
        </Group>
      ) : (
        <div className={isPlaceholderData ? 'svc-stale' : undefined} style={{ minHeight: height }}>
          <Drawn asked={asked} data={data} onPick={onPick} />
        </div>
      )}
    </Section>
  );
}
