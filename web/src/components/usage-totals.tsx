import { SimpleGrid } from '@mantine/core';
import { formatCompact, formatNumber } from '../format.ts';
import { t } from '../language/words.ts';
import { Money } from './money.tsx';
import { StatCard } from './stat-card.tsx';

interface Total {
  quota: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
}

const nothing: Total = { quota: 0, requests: 0, prompt_tokens: 0, completion_tokens: 0 };

/** Total usage. */
export function UsageTotals({ query }: { query: { data: { total: Total } | undefined; isPending: boolean } }) {
  const total = query.data?.total ?? nothing;
  const state = { loading: query.isPending, failed: !query.data };
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <StatCard label={t('Cost')} value={<Money quota={total.quota} />} {...state} />
      <StatCard label={t('Requests')} value={formatNumber(total.requests)} {...state} />
      <StatCard label={t('Tokens in')} value={formatCompact(total.prompt_tokens)} {...state} />
      <StatCard label={t('Tokens out')} value={formatCompact(total.completion_tokens)} {...state} />
    </SimpleGrid>
  );
}
