import { Badge, Text } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { Section } from '../../components/section.tsx';
import { formatDateTime } from '../../format.ts';
import { t } from '../../language/words.ts';
import { topUpStates } from '../credits/top-up-states.ts';

type Payment = Result<'/api/admin/topups', 'get'>['topups'][number];

const pageSize = 20;

const columns: Column<Payment>[] = [
  { key: 'user', header: t('User'), cell: ({ username, user_id }) => username || t('id {id}', { id: user_id }) },
  { key: 'amount', header: t('Amount'), align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status }) => <Badge color={topUpStates[status].color}>{topUpStates[status].label}</Badge>,
  },
  { key: 'credited', header: t('Credited'), align: 'right', cell: ({ credited }) => <Money quota={credited} /> },
  {
    key: 'owed',
    header: t('Owed'),
    align: 'right',
    cell: ({ owed }) =>
      owed > 0 ? (
        <Text span size="sm" c="var(--mantine-color-red-light-color)">
          <Money quota={owed} />
        </Text>
      ) : (
        '–'
      ),
  },
  { key: 'at', header: t('Time'), cell: ({ created_at }) => formatDateTime(created_at) },
];

export function Payments() {
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['admin-topups', page],
    queryFn: ({ signal }) => get('/api/admin/topups', { query: { page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Section
      title={t('Payments')}
      description={t('Payments made through Stripe, and refunded amounts whose credits were already spent.')}
    >
      <DataTable
        label={t('Payments')}
        columns={columns}
        rows={query.data?.topups}
        rowKey={({ id }) => id}
        query={query}
        minWidth={720}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconCreditCard,
          title: t('No payments yet'),
          description: t('Users can pay by themselves once STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are set.'),
        }}
      />
    </Section>
  );
}
