import { Button, Group, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { UsageTotals } from '../../components/usage-totals.tsx';
import { oneOf } from '../../filter-values.ts';
import { formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { may, type Organisation } from '../../organisations.ts';
import { useUrlState } from '../../use-url-state.ts';
import { ShareList } from '../usage/share-list.tsx';
import { Accounting } from './accounting.tsx';
import { LevelDecisions, LevelRequests } from './level-lists.tsx';
import { type LevelNames, levels, placeChoices, placeText, readPlace } from './levels.ts';
import { type Grouping, type LevelFilter, usageQuery } from './organisation-queries.ts';
import { useLevelNames } from './use-level-names.ts';

const urlDefaults = { at: '', days: '30', show: 'requests' };

const periods = [
  { value: '1', label: t('Today') },
  { value: '7', label: t('7d') },
  { value: '30', label: t('30d') },
  { value: '90', label: t('90d') },
];

const urlFits = {
  at: (text: string) => readPlace(text) !== null,
  days: oneOf(periods),
  show: oneOf(['requests', 'decisions']),
};

const daySeconds = 86_400;

/** Whole days (UTC), so that the filter, and with it the query key, stays the same while the page is open. */
function filterOf({ at, days }: { at: string; days: string }, nowMs: number): LevelFilter {
  const place = readPlace(at);
  const today = Math.floor(nowMs / 1000 / daySeconds);
  const count = periods.some(({ value }) => value === days) ? Number(days) : 30;
  return {
    level: place?.level ?? 'organisation',
    ...(place && place.level !== 'organisation' && { level_id: place.level_id }),
    from: (today - count + 1) * daySeconds,
    to: (today + 1) * daySeconds - 1,
  };
}

interface PartProps {
  id: number;
  filter: LevelFilter;
}

function Totals({ id, filter }: PartProps) {
  return <UsageTotals query={useQuery(usageQuery(id, filter, 'day'))} />;
}

type Sum = { quota: number; model?: string; token_id?: number | null };
const mostShares = 8;

interface SharesProps extends PartProps {
  title: string;
  by: Grouping;
  nameOf: (sum: Sum) => string;
}

/** The most expensive entries; the rest is added up into one. */
function Shares({ id, filter, title, by, nameOf }: SharesProps) {
  const query = useQuery(usageQuery(id, filter, by));
  if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const sums = query.data?.items ?? [];
  if (sums.length === 0) return null;
  const rest = sums.slice(mostShares);
  const shares = sums.slice(0, mostShares).map((sum) => ({ name: nameOf(sum), value: sum.quota }));
  if (rest.length > 0)
    shares.push({
      name: t('{count, plural, one {# other} other {# others}}', { count: rest.length }),
      value: rest.reduce((sum, { quota }) => sum + quota, 0),
    });
  return (
    <Section title={title}>
      <ShareList label={title} shares={shares} format={formatQuota} />
    </Section>
  );
}

const csvAddress = (id: number, filter: LevelFilter): string => {
  const query = new URLSearchParams({ format: 'csv' });
  for (const [name, value] of Object.entries(filter)) query.set(name, String(value));
  return `/api/organisations/${id}/requests?${query}`;
};

function Filters({ organisation, known }: { organisation: Organisation; known: LevelNames }) {
  const [{ at, days }, set] = useUrlState(urlDefaults, urlFits);
  const whole = placeText({ level: 'organisation', level_id: organisation.id });
  const all = may(organisation.role, 'see_all');
  const choices = placeChoices(known, all ? levels : ['organisation', 'key']).map(({ group, items }) => ({
    group,
    items: items.map((item) => (all || item.value !== whole ? item : { ...item, label: t('All your keys') })),
  }));
  return (
    <Group align="flex-end">
      <Select
        label={t('Level')}
        data={choices}
        searchable
        allowDeselect={false}
        w={{ base: '100%', xs: 280 }}
        value={readPlace(at) ? at : whole}
        onChange={(value) => set({ at: value === whole ? '' : (value ?? '') })}
      />
      <SegmentedControl
        aria-label={t('Dates (UTC)')}
        data={periods}
        value={periods.some(({ value }) => value === days) ? days : '30'}
        onChange={(value) => set({ days: value })}
      />
    </Group>
  );
}

export function Usage({ organisation }: { organisation: Organisation }) {
  const { id } = organisation;
  const [state, set] = useUrlState(urlDefaults, urlFits);
  const all = may(organisation.role, 'see_all');
  const known = useLevelNames(organisation, all ? levels : ['key']);
  const filter = filterOf(state, Date.now());
  const keyName = (keyId: number | null | undefined): string =>
    known.keys.find((key) => key.id === keyId)?.name ?? t('Key {name}', { name: keyId ?? '–' });
  const decisions = state.show === 'decisions';
  return (
    <Stack gap="lg">
      <Filters organisation={organisation} known={known} />
      <Totals id={id} filter={filter} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Shares
          id={id}
          filter={filter}
          title={t('By model')}
          by="model"
          nameOf={({ model }) => model ?? t('unknown')}
        />
        <Shares id={id} filter={filter} title={t('By key')} by="token" nameOf={({ token_id }) => keyName(token_id)} />
      </SimpleGrid>
      <section>
        <Group justify="space-between" mb="sm">
          <SegmentedControl
            size="xs"
            aria-label={t('List')}
            data={[
              { value: 'requests', label: t('Requests') },
              { value: 'decisions', label: t('Routing decisions') },
            ]}
            value={decisions ? 'decisions' : 'requests'}
            onChange={(show) => set({ show })}
          />
          {!decisions && (
            <Button
              component="a"
              href={csvAddress(id, filter)}
              download
              variant="default"
              size="sm"
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              {t('Download requests')}
            </Button>
          )}
        </Group>
        {decisions ? (
          <LevelDecisions id={id} filter={filter} />
        ) : (
          <LevelRequests id={id} filter={filter} keys={known.keys} />
        )}
      </section>
      {all && <Accounting organisation={organisation} />}
    </Stack>
  );
}
