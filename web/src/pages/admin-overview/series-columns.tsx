import { ColorSwatch, Group, Text, UnstyledButton } from '@mantine/core';
import type { Column } from '../../components/data-rows.tsx';
import { endColumn } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { colorOf, isOne, nameOf } from './overview-points.ts';
import type { Series } from './overview-query.ts';
import type { Asked, Grouping, OverviewState } from './overview-range.ts';
import { listOf } from './series-links.ts';

const names: Record<Grouping, string> = { user: t('User'), model: t('Model'), channel: t('Channel') };

type PlacedSeries = Series & { place: number };

interface SeriesActs {
  asked: Asked;
  state: OverviewState;
  pick: (series: Series) => void;
}

function Name({ series, acts: { asked, pick } }: { series: PlacedSeries; acts: SeriesActs }) {
  const name = nameOf(series, asked.by);
  const color = `var(--mantine-color-${colorOf(series.place, series).replace('.', '-')})`;
  return (
    <Group gap="xs" wrap="nowrap" maw="22rem">
      <ColorSwatch color={color} size={12} withShadow={false} aria-hidden />
      {isOne(series, asked.by) ? (
        <UnstyledButton onClick={() => pick(series)} miw={0}>
          <span className="svc-hidden">{t('Only')} </span>
          <Text component="span" display="block" size="sm" fw={500} td="underline" truncate title={name} dir="auto">
            {name}
          </Text>
        </UnstyledButton>
      ) : (
        <Text size="sm" c="dimmed">
          {name}
        </Text>
      )}
    </Group>
  );
}

const failedText = ({ requests, failures }: Series['total']): string =>
  failures === 0
    ? '0'
    : t('{count} ({percent} %)', {
        count: formatNumber(failures),
        percent: Math.round((failures / (requests + failures)) * 100),
      });
const took = (ms: number | null): string => (ms === null ? '–' : formatMs(ms));

export const seriesColumns = (acts: SeriesActs): Column<PlacedSeries>[] => [
  {
    key: 'name',
    header: names[acts.asked.by],
    cell: (series) => <Name series={series} acts={acts} />,
  },
  { key: 'cost', header: t('Spend'), align: 'right', cell: ({ total }) => <Money quota={total.quota} /> },
  { key: 'requests', header: t('Answered'), align: 'right', cell: ({ total }) => formatNumber(total.requests) },
  { key: 'failures', header: t('Failed'), align: 'right', cell: ({ total }) => failedText(total) },
  { key: 'median', header: t('Median'), align: 'right', cell: ({ total }) => took(total.p50_ms) },
  { key: 'slow', header: t('95th percentile'), align: 'right', cell: ({ total }) => took(total.p95_ms) },
  {
    ...endColumn(t('Requests')),
    cell: (series) => {
      const link = listOf(acts.state, series);
      return (
        link && (
          <AnchorLink to={link.to} search={link.search} size="sm">
            {link.label}
            <span className="svc-hidden"> {t('of {name}', { name: nameOf(series, acts.asked.by) })}</span>
          </AnchorLink>
        )
      );
    },
  },
];
