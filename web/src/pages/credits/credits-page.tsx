import { Alert, Badge, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconCreditCard, IconInfoCircle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { isAdmin, selfQuery, useUser } from '../../session.ts';
import { usePage } from '../../use-url-state.ts';
import { RedeemCode } from './redeem-code.tsx';
import { SpendingLimits } from './spending-limits.tsx';
import { TopUp } from './top-up.tsx';
import { topUpsQuery } from './top-ups-query.ts';

type Entry = Result<'/api/ledger', 'get'>['entries'][number];

const pageSize = 25;

const columns: Column<Entry>[] = [
  { key: 'at', header: t('Time'), cell: ({ created_at }) => formatDateTime(created_at) },
  {
    key: 'kind',
    header: t('What'),
    cell: ({ kind }) => (
      <Badge color={kind === 'grant' ? 'teal' : 'gray'}>{kind === 'grant' ? t('Credits') : t('Usage')}</Badge>
    ),
  },
  {
    key: 'detail',
    header: t('Detail'),
    wrap: true,
    cell: ({ kind, model, note, amount }) =>
      kind === 'usage'
        ? model
        : serverText(note) || (amount < 0 ? t('Deducted by an administrator') : t('Added by an administrator')),
  },
  {
    key: 'amount',
    header: t('Amount'),
    align: 'right',
    cell: ({ amount }) => (
      <Text span size="sm" fw={600} c={amount > 0 ? 'var(--mantine-color-teal-light-color)' : undefined}>
        {amount > 0 && '+'}
        <Money quota={amount} />
      </Text>
    ),
  },
  {
    key: 'balance',
    header: t('Balance after'),
    align: 'right',
    cell: ({ balance_after }) => <Money quota={balance_after} />,
  },
  {
    ...actsColumn(t('Request')),
    cell: ({ request_id }) =>
      request_id && (
        <CopyButton value={request_id} label={t('Copy request id {requestId}', { requestId: request_id })} />
      ),
  },
];

/** Hidden for users who can pay online, because the page offers that itself. */
function HowToGetMore() {
  const admin = isAdmin(useUser());
  const { data } = useQuery(topUpsQuery(1));
  if (!admin && data?.amounts.length !== 0) return null;
  return (
    <Alert variant="light" color="indigo" icon={<IconInfoCircle aria-hidden />} title={t('How to get more credits')}>
      {admin
        ? rich(
            'You can give credits to users under <users>Users</users>, and create codes for them under <codes>Codes and payments</codes>.',
            {
              users: (text) => (
                <AnchorLink to="/admin/users" inherit underline="always">
                  {text}
                </AnchorLink>
              ),
              codes: (text) => (
                <AnchorLink to="/admin/credits" inherit underline="always">
                  {text}
                </AnchorLink>
              ),
            },
          )
        : t(
            'Ask an administrator of this service to add credits to your account. Models without a price need no credits.',
          )}
    </Alert>
  );
}

export function CreditsPage() {
  const user = useUser();
  // The balance changes with every request, so refetch it on every visit.
  useQuery({ ...selfQuery, refetchOnMount: 'always' });
  const [page, setPage] = usePage();
  const query = useQuery({
    // A changed balance means a new ledger entry, so the balance is part of the key.
    queryKey: ['ledger', page, user.quota],
    queryFn: ({ signal }) => get('/api/ledger', { query: { page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={t('Credits')} description={t('Your balance and all changes to it.')} />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <StatCard label={t('Balance')} value={<Money quota={user.quota} />} />
          <StatCard label={t('Spent so far')} value={<Money quota={user.used_quota} />} />
          <StatCard label={t('Requests')} value={formatNumber(user.request_count)} />
        </SimpleGrid>
        <HowToGetMore />
        <TopUp />
        <RedeemCode />
        <SpendingLimits />
        <section>
          <Title order={2} mb="sm">
            {t('Ledger')}
          </Title>
          <DataTable
            label={t('Ledger')}
            columns={columns}
            rows={query.data?.entries}
            rowKey={({ id }) => id}
            query={query}
            paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
            empty={{
              icon: IconCreditCard,
              title: t('No balance changes yet'),
              description: t(
                'Credits you receive and requests that cost money are listed here, exact to the smallest unit.',
              ),
            }}
          />
        </section>
      </Stack>
    </>
  );
}
