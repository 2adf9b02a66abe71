import { Badge, Stack, Text, Tooltip } from '@mantine/core';
import type { Metrics } from '../../catalog.ts';
import type { Column } from '../../components/data-rows.tsx';
import { HealthBadge } from '../../components/health-badge.tsx';
import { LongName } from '../../components/long-name.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { numberColumn } from '../../components/number-column.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatCompact, formatMs, formatNumber, formatPercent } from '../../format.ts';
import { rateColor } from '../../health.ts';
import { t } from '../../language/words.ts';

const ms = (value: number | null): string => (value === null ? '–' : formatMs(value));

/** Without requests in the last hour the service reports assumed values, which must not be shown as measurements. */
const measured = (row: Metrics): boolean => row.requests_last_hour > 0;

function SuccessRate({ row }: { row: Metrics }) {
  if (!measured(row)) return <Text size="sm">–</Text>;
  const percent = (row.success_rate_last_hour * 100).toFixed(row.success_rate_last_hour === 1 ? 0 : 1);
  return (
    <Tooltip
      label={t('{count, plural, one {# request in the last hour} other {# requests in the last hour}}', {
        count: row.requests_last_hour,
      })}
    >
      <Badge color={rateColor(row.success_rate_last_hour)} className="svc-number">
        {formatPercent(percent)}
      </Badge>
    </Tooltip>
  );
}

const percentile = (
  key: 'p50_latency_ms' | 'p95_latency_ms' | 'p99_latency_ms' | 'p50_ttft_ms',
  header: string,
): Column<Metrics> => numberColumn(key, header, (row) => ms(row[key]));

export const healthColumns = (channelName: (id: number) => string): Column<Metrics>[] => [
  {
    key: 'model',
    header: t('Provider and model'),
    wrap: true,
    cell: ({ provider, model_id, channel_id }) => {
      const place = `${provider} · ${channelName(channel_id)}`;
      return <NameCell name={<LongName text={model_id} />} under={place} title={place} />;
    },
  },
  {
    key: 'circuit',
    header: t('State'),
    cell: ({ circuit_state, circuit_changed_at, success_rate_last_hour, requests_last_hour }) => (
      <Stack gap={2} align="flex-start">
        <HealthBadge circuit={circuit_state} successRate={success_rate_last_hour} samples={requests_last_hour} />
        {circuit_changed_at !== null && circuit_state !== 'closed' && (
          <Text size="xs" c="dimmed">
            <TimeAgo at={circuit_changed_at} />
          </Text>
        )}
      </Stack>
    ),
  },
  { key: 'success', header: t('Success'), align: 'right', cell: (row) => <SuccessRate row={row} /> },
  percentile('p50_latency_ms', 'p50'),
  percentile('p95_latency_ms', 'p95'),
  percentile('p99_latency_ms', 'p99'),
  percentile('p50_ttft_ms', t('First token')),
  numberColumn('speed', t('Tokens/s'), ({ tokens_per_second }) =>
    tokens_per_second === null ? '–' : formatNumber(Math.round(tokens_per_second)),
  ),
  numberColumn('requests', t('Requests'), ({ total_requests }) => formatCompact(total_requests)),
];
