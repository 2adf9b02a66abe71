import { SimpleGrid, Stack } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useUrlState } from '../../use-url-state.ts';
import { OverviewAlerts } from './overview-alerts.tsx';
import { OverviewChart } from './overview-chart.tsx';
import { OverviewFilters } from './overview-filters.tsx';
import { overviewQuery, type Series, type Sums } from './overview-query.ts';
import { askedOf, narrowedTo, overviewDefaults, overviewFits } from './overview-range.ts';
import { seriesColumns } from './series-columns.tsx';

function Totals({ total }: { total: Sums | undefined }) {
  const loading = total === undefined;
  const { quota = 0, requests = 0, failures = 0, p50_ms = null, p95_ms = null } = total ?? {};
  const share = failures === 0 ? 0 : (failures / (requests + failures)) * 100;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <StatCard label={t('Spend')} value={<Money quota={quota} />} loading={loading} />
      <StatCard label={t('Answered')} value={formatNumber(requests)} loading={loading} />
      <StatCard
        label={t('Failed')}
        value={formatNumber(failures)}
        hint={t('{percent} % of all', { percent: share.toFixed(1) })}
        loading={loading}
      />
      <StatCard
        label={t('95th percentile latency')}
        value={p95_ms === null ? '–' : formatMs(p95_ms)}
        hint={p50_ms === null ? t('No data') : t('Median {time}', { time: formatMs(p50_ms) })}
        loading={loading}
      />
    </SimpleGrid>
  );
}

/** Usage by user, model or channel over time, and open alerts. */
export function AdminOverviewPage() {
  const [state, set] = useUrlState(overviewDefaults, overviewFits);
  const query = useQuery(overviewQuery(state));
  const asked = askedOf(state);
  const { data, error, isPlaceholderData, refetch } = query;
  // Pushes a history entry, so that Back removes the filter.
  const pick = (series: Series) => set(narrowedTo(state, series), 'push');
  return (
    <>
      <PageHeader title={t('Overview')} description={t('Spend, failures and response times across all users.')} />
      <Stack gap="lg" mb="lg">
        <OverviewAlerts />
      </Stack>
      <OverviewFilters state={state} set={set} data={data} />
      <Stack gap="lg">
        {(data || !error) && <Totals total={data?.total} />}
        <OverviewChart asked={asked} query={query} onPick={pick} />
        <DataTable
          label={t('Series')}
          columns={seriesColumns({ asked, state, pick })}
          rows={data?.series.map((series, place) => ({ ...series, place }))}
          rowKey={({ id, name, rest }) => (rest ? 'rest' : `${id} ${name}`)}
          query={{ error, isFetching: isPlaceholderData, refetch }}
          minWidth={720}
          empty={{ icon: IconChartBar, title: t('No requests in this period') }}
        />
      </Stack>
    </>
  );
}
