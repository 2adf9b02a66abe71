import { Badge, Button, Chip, Group, Stack } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Money } from '../../components/money.tsx';
import { QueryFault } from '../../components/query-fault.tsx';
import { Section } from '../../components/section.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { queryClient, selfQuery } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useUrlState } from '../../use-url-state.ts';
import { type TopUp as Payment, topUpStates } from './top-up-states.ts';
import { pageSize, topUpsQuery } from './top-ups-query.ts';

/** Stripe usually notifies the service within moments of a payment. */
const askAgainMs = 3_000;
const returned = { topup: '' };

const columns: Column<Payment>[] = [
  { key: 'amount', header: t('Amount'), align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status }) => <Badge color={topUpStates[status].color}>{topUpStates[status].label}</Badge>,
  },
  { key: 'credited', header: t('Credited'), align: 'right', cell: ({ credited }) => <Money quota={credited} /> },
  { key: 'at', header: t('Time'), cell: ({ created_at }) => formatDateTime(created_at) },
];

function Pay({ amounts }: { amounts: number[] }) {
  const [amount, setAmount] = useState(String(amounts[0]));
  const post = usePost();
  const pay = useAct({
    mutationFn: () => post('/api/user/topups', { body: { amount: Number(amount) } }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <Stack>
      {pay.error != null && <ErrorState error={pay.error} title={t('The payment could not be started')} />}
      <Chip.Group value={amount} onChange={setAmount}>
        <Group gap="xs" role="radiogroup" aria-label={t('Amount')}>
          {amounts.map((value) => (
            <Chip key={value} value={String(value)}>
              ${formatNumber(value)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group>
        <Button
          leftSection={<IconCreditCard size={16} aria-hidden />}
          loading={pay.isPending || pay.isSuccess}
          onClick={() => pay.mutate()}
        >
          {t('Pay {amount}', { amount: `$${formatNumber(Number(amount))}` })}
        </Button>
      </Group>
    </Stack>
  );
}

/** Renders nothing if payments are not available and there are none in the past. */
export function TopUp() {
  const [{ topup }] = useUrlState(returned);
  const [page, setPage] = useState(1);
  const query = useQuery({
    ...topUpsQuery(page),
    placeholderData: keepPreviousData,
    // The user often returns from the payment page before Stripe's notification arrives, so poll.
    refetchInterval: ({ state }) => isAwaited(state.data?.topups, topup) && askAgainMs,
  });
  const awaited = isAwaited(query.data?.topups, topup);
  // Refetch the balance once the payment has arrived.
  useEffect(() => {
    if (!awaited) void queryClient.invalidateQueries(selfQuery);
  }, [awaited]);
  if (!query.data) return <QueryFault query={query} title={t('{label} could not be loaded', { label: t('Top up') })} />;
  if (query.data.amounts.length === 0 && query.data.total === 0) return null;
  const { amounts, topups, total } = query.data;
  return (
    <Section
      title={t('Top up')}
      description={t('You pay on a Stripe page. Credits are added as soon as the payment completes.')}
    >
      <Stack>
        {amounts.length > 0 && <Pay amounts={amounts} />}
        {total > 0 && (
          <DataTable
            label={t('Payments')}
            columns={columns}
            rows={topups}
            rowKey={({ id }) => id}
            query={query}
            paging={{ page, pageSize, total, onPage: setPage }}
            empty={{ icon: IconCreditCard, title: t('No payments'), description: t('Your payments are listed here.') }}
          />
        )}
      </Stack>
    </Section>
  );
}

const isAwaited = (topups: Payment[] | undefined, id: string): boolean =>
  topups?.some((one) => String(one.id) === id && one.status === 'open') ?? false;
