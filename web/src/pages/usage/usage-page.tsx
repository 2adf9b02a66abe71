import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Money } from '../../components/money.tsx';
import { OnlyOf } from '../../components/only-of.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatCompact, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useUrlState } from '../../use-url-state.ts';
import { RequestLists } from './request-lists.tsx';
import { UsageCharts } from './usage-charts.tsx';
import { UsageFilters } from './usage-filters.tsx';
import { summaryQuery } from './usage-queries.ts';
import { filterOf, rangeOf, type UsageFilter, usageDefaults } from './usage-range.ts';

function Totals({ filter }: { filter: UsageFilter }) {
  const { data, isPending } = useQuery(summaryQuery(filter, 'day'));
  const total = data?.total ?? { quota: 0, requests: 0, prompt_tokens: 0, completion_tokens: 0 };
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <StatCard label={t('Cost')} value={<Money quota={total.quota} />} loading={isPending} />
      <StatCard label={t('Requests')} value={formatNumber(total.requests)} loading={isPending} />
      <StatCard label={t('Tokens in')} value={formatCompact(total.prompt_tokens)} loading={isPending} />
      <StatCard label={t('Tokens out')} value={formatCompact(total.completion_tokens)} loading={isPending} />
    </SimpleGrid>
  );
}

export function UsagePage() {
  const [state, set] = useUrlState(usageDefaults);
  // A day's end, not the moment, goes into queries: they stay the same while the page is open.
  const now = Date.now();
  const range = rangeOf(state, now);
  const filter = filterOf(state, now);
  if (state.parent !== '') {
    return (
      <>
        <PageHeader title={t('Usage')} description={t('What one turn or run has used, and what it cost.')} />
        <Stack gap="lg">
          <OnlyOf parent={state.parent} onAll={() => set({ parent: '', page: '1' })} />
          <RequestLists state={state} set={set} filter={filter} />
        </Stack>
      </>
    );
  }
  return (
    <>
      <PageHeader title={t('Usage')} description={t('What your keys and this app have used, and what it cost.')} />
      <UsageFilters state={state} set={set} range={range} />
      <Stack gap="lg">
        <Totals filter={filter} />
        <UsageCharts filter={filter} range={range} />
        <RequestLists state={state} set={set} filter={filter} />
      </Stack>
    </>
  );
}
