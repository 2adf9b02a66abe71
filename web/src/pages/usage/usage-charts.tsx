import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { daysBetween } from '../../dates.ts';
import { daysNote } from '../../format.ts';
import { t } from '../../language/words.ts';
import { keysQuery } from '../../session.ts';
import { DayChart } from './lazy-charts.tsx';
import { type MeasureName, measures } from './measures.ts';
import { ShareList } from './share-list.tsx';
import { type Grouping, summaryQuery, type UsageSum } from './usage-queries.ts';
import type { Range, UsageFilter } from './usage-range.ts';

/** The rest is summed into one bar, because a chart of a hundred keys is unreadable. */
const mostBars = 8;

export function sharesOf(sums: UsageSum[], nameOf: (sum: UsageSum) => string, of: (sum: UsageSum) => number) {
  const sorted = sums.map((sum) => ({ name: nameOf(sum), value: of(sum) })).sort((a, b) => b.value - a.value);
  const rest = sorted.slice(mostBars);
  if (rest.length === 0) return sorted;
  const value = rest.reduce((sum, one) => sum + one.value, 0);
  return [
    ...sorted.slice(0, mostBars),
    { name: t('{count, plural, one {# other} other {# others}}', { count: rest.length }), value },
  ];
}

interface PartProps {
  filter: UsageFilter;
  measure: MeasureName;
}

interface DrawnProps {
  filter: UsageFilter;
  by: Grouping;
  height: number;
  children: (sums: UsageSum[]) => ReactNode;
}

/** Keeps its height while loading and when empty. */
function Drawn({ filter, by, height, children }: DrawnProps) {
  const query = useQuery(summaryQuery(filter, by));
  if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <Skeleton height={height} />;
  if (query.data.items.length === 0) {
    return (
      <Group justify="center" mih={height}>
        <Text size="sm" c="dimmed">
          {t('No data for these dates')}
        </Text>
      </Group>
    );
  }
  return (
    <div className={query.isPlaceholderData ? 'svc-stale' : undefined} style={{ minHeight: height }}>
      {children(query.data.items)}
    </div>
  );
}

function ByModel({ filter, measure }: PartProps) {
  return (
    <Section title={t('By model')}>
      <Drawn filter={filter} by="model" height={140}>
        {(sums) => (
          <ShareList
            label={t('Usage by model')}
            format={measures[measure].format}
            shares={sharesOf(sums, ({ model }) => model ?? t('unknown'), measures[measure].of)}
          />
        )}
      </Drawn>
    </Section>
  );
}

function ByKey({ filter, measure }: PartProps) {
  const keys = useQuery(keysQuery);
  const names = new Map(keys.data?.map(({ id, name }) => [id, name]));
  const nameOf = ({ token_id, application }: UsageSum) =>
    application ?? (token_id ? (names.get(token_id) ?? t('Deleted key {id}', { id: token_id })) : t('Web app'));
  return (
    <Section title={t('By key')}>
      <Drawn filter={filter} by="token" height={140}>
        {(sums) => (
          <ShareList
            label={t('Usage by key')}
            format={measures[measure].format}
            shares={sharesOf(sums, nameOf, measures[measure].of)}
          />
        )}
      </Drawn>
    </Section>
  );
}

export function UsageCharts({ filter, range }: { filter: UsageFilter; range: Range }) {
  const [measure, setMeasure] = useState<MeasureName>('cost');
  const choices = Object.entries(measures).map(([value, { label }]) => ({ value, label }));
  return (
    <Stack gap="lg">
      <Section
        title={t('By day')}
        description={daysNote()}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t('Measure shown in the charts')}
            data={choices}
            value={measure}
            onChange={(name) => setMeasure(name as MeasureName)}
          />
        }
      >
        <Drawn filter={filter} by="day" height={240}>
          {(sums) => <DayChart sums={sums} days={daysBetween(range.first, range.last)} measure={measures[measure]} />}
        </Drawn>
      </Section>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <ByModel filter={filter} measure={measure} />
        <ByKey filter={filter} measure={measure} />
      </SimpleGrid>
    </Stack>
  );
}
