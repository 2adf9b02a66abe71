import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Money } from '../../components/money.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatCompact } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useUser } from '../../session.ts';
import { todayQuery } from './home-queries.ts';

/** The balance and today's totals. */
export function AccountSummary() {
  const user = useUser();
  const today = useQuery(todayQuery());
  const total = today.data?.total;
  const tokens = (total?.prompt_tokens ?? 0) + (total?.completion_tokens ?? 0);
  const state = { loading: today.isPending, failed: !total };
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <StatCard label={t('Balance')} value={<Money quota={user.quota} />} />
      <StatCard label={t('Spent today')} value={<Money quota={total?.quota ?? 0} />} {...state} />
      <StatCard label={t('Requests today')} value={formatCompact(total?.requests ?? 0)} {...state} />
      <StatCard label={t('Tokens today')} value={formatCompact(tokens)} {...state} />
    </SimpleGrid>
  );
}
