import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '../../components/page-header.tsx';
import { ParentFilterNotice } from '../../components/parent-filter-notice.tsx';
import { UsageTotals } from '../../components/usage-totals.tsx';
import { t } from '../../language/words.ts';
import { useUrlState } from '../../use-url-state.ts';
import { RequestLists } from './request-lists.tsx';
import { UsageCharts } from './usage-charts.tsx';
import { UsageFilters } from './usage-filters.tsx';
import { summaryQuery } from './usage-queries.ts';
import { filterOf, rangeOf, type UsageFilter, usageDefaults, usageFits } from './usage-range.ts';

function Totals({ filter }: { filter: UsageFilter }) {
  return <UsageTotals query={useQuery(summaryQuery(filter, 'day'))} />;
}

export function UsagePage() {
  const [state, set] = useUrlState(usageDefaults, usageFits);
  // Queries contain the end of the day instead of the current time, so that their keys stay the same while the page is
  // open.
  const now = Date.now();
  const range = rangeOf(state, now);
  const filter = filterOf(state, now);
  if (state.parent !== '') {
    return (
      <>
        <PageHeader title={t('Usage')} description={t('Usage and cost of one turn or run.')} />
        <Stack gap="lg">
          <ParentFilterNotice parent={state.parent} onAll={() => set({ parent: '', page: '1' })} />
          <RequestLists state={state} set={set} filter={filter} />
        </Stack>
      </>
    );
  }
  return (
    <>
      <PageHeader title={t('Usage')} description={t('Usage and cost of your keys and this app.')} />
      <UsageFilters state={state} set={set} range={range} />
      <Stack gap="lg">
        <Totals filter={filter} />
        <UsageCharts filter={filter} range={range} />
        <RequestLists state={state} set={set} filter={filter} />
      </Stack>
    </>
  );
}
