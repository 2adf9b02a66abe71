import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../api.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { UsageTotals } from '../../components/usage-totals.tsx';
import { addDays, dayOf, daysBetween, startOf } from '../../dates.ts';
import { t } from '../../language/words.ts';
import { DayChart } from '../usage/lazy-charts.tsx';
import { measures } from '../usage/measures.ts';
import { ShareList } from '../usage/share-list.tsx';
import type { Grouping } from '../usage/usage-queries.ts';
import type { PartProps } from './part-props.ts';

const shownDays = 30;
const mostBars = 8;

const useSums = (userId: number, from: number | undefined, group_by: Grouping) =>
  useQuery({
    queryKey: ['admin-users', 'usage', userId, from, group_by],
    queryFn: ({ signal }) => get('/api/admin/usage/summary', { query: { user_id: userId, from, group_by }, signal }),
  });

export function PersonUsage({ person: { user } }: PartProps) {
  const last = dayOf(Date.now());
  const first = addDays(last, 1 - shownDays);
  const days = useSums(user.id, startOf(first), 'day');
  const models = useSums(user.id, startOf(first), 'model');
  const failed = days.error ?? models.error;
  if (failed)
    return (
      <ErrorState
        error={failed}
        title={t('Usage could not be loaded')}
        onRetry={() => Promise.all([days.refetch(), models.refetch()])}
      />
    );
  const shares = (models.data?.items ?? [])
    .map((sum) => ({ name: sum.model ?? t('unknown'), value: sum.quota }))
    .sort((a, b) => b.value - a.value);
  return (
    <Stack gap="lg">
      <UsageTotals query={days} />
      <Section title={t('Cost by day')} description={t('The last {days} days, counted in UTC.', { days: shownDays })}>
        {days.data === undefined && <Skeleton height={240} />}
        {days.data?.items.length === 0 && (
          <Group justify="center" mih={120}>
            <Text size="sm" c="dimmed">
              {t('No data for these dates')}
            </Text>
          </Group>
        )}
        {days.data !== undefined && days.data.items.length > 0 && (
          <DayChart sums={days.data.items} days={daysBetween(first, last)} measure={measures.cost} />
        )}
      </Section>
      {shares.length > 0 && (
        <Section title={t('Cost by model')}>
          <ShareList label={t('Cost by model')} format={measures.cost.format} shares={shares.slice(0, mostBars)} />
        </Section>
      )}
    </Stack>
  );
}
