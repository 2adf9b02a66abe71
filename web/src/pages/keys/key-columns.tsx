import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconCalendarDollar, IconEdit, IconKeyOff, IconRefresh, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Column } from '../../components/data-rows.tsx';
import { toggleAct } from '../../components/enabled-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { Money } from '../../components/money.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatDateTime, formatExact, formatZoned } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import type { ApiKey } from './key-fields.ts';
import type { KeyLimit } from './limit-fields.ts';
import { MonthUse } from './month-limit.tsx';

/** The key's monthly limit, if it has one. */
type LimitOf = (key: ApiKey) => KeyLimit | undefined;

/** The name of the application that created a key, as long as it still has access. */
type MakerOf = (applicationId: number) => string | undefined;

interface KeyActs {
  makerOf: MakerOf | undefined;
  limitOf: LimitOf;
  limit: (key: ApiKey) => void;
  edit: (key: ApiKey) => void;
  toggle: (key: ApiKey) => void;
  rotate: (key: ApiKey) => void;
  endOld: (key: ApiKey) => void;
  revoke: (key: ApiKey) => void;
}

const isEnabled = ({ status }: ApiKey): boolean => status === 1;

function stateOf(key: ApiKey): { label: string; color: string } {
  if (!isEnabled(key)) return { label: t('Disabled'), color: 'gray' };
  if (key.expired_time > 0 && key.expired_time <= Date.now() / 1000) return { label: t('Expired'), color: 'orange' };
  if (!key.unlimited_quota && key.remain_quota <= 0) return { label: t('Limit reached'), color: 'orange' };
  return { label: t('Enabled'), color: 'teal' };
}

function Limits({ models, allowed_ips, cache }: ApiKey) {
  return (
    <Group gap={6}>
      {models.length > 0 && (
        <Badge size="sm" color="gray" title={models.join(', ')}>
          {t('{count, plural, one {# model} other {# models}}', { count: models.length })}
        </Badge>
      )}
      {allowed_ips.length > 0 && (
        <Badge size="sm" color="gray" title={allowed_ips.join(', ')}>
          {t('{count, plural, one {# address} other {# addresses}}', { count: allowed_ips.length })}
        </Badge>
      )}
      {cache && (
        <Badge
          size="sm"
          color="gray"
          title={t('Responses are cached for {seconds, plural, one {# second} other {# seconds}}', {
            seconds: cache.ttl_seconds,
          })}
        >
          {t('cached responses')}
        </Badge>
      )}
    </Group>
  );
}

const imposedWords = {
  status: t('Disabled by a manager of the organisation'),
  expired_time: t('A manager of the organisation has set when it expires'),
  quota: t('A manager of the organisation has set what it may spend'),
  models: t('A manager of the organisation has set its models'),
  allowed_ips: t('A manager of the organisation has set its addresses'),
};

/** What its holder cannot undo, and whom to ask. */
function Imposed({ imposed }: Pick<ApiKey, 'imposed'>) {
  return imposed.map((name) => (
    <Text key={name} size="xs" c="dimmed">
      {imposedWords[name]}
    </Text>
  ));
}

/** The previous secret after a rotation, and when it expires. */
function OldSecret({ previous }: Pick<ApiKey, 'previous'>) {
  if (!previous) return null;
  return (
    <Text size="xs" c="var(--mantine-color-orange-light-color)">
      {rich('Old secret <number>…{ending}</number> expires {endsAt}', {
        ending: previous.key.slice(-4),
        endsAt: formatZoned(previous.ends_at),
        number: (text) => <span className="svc-number">{text}</span>,
      })}
    </Text>
  );
}

/** Links to the application that created the key, where its access can be revoked. */
function Maker({ id, name }: { id: number; name: string | undefined }) {
  const link = (text: ReactNode) => (
    <AnchorLink to="/authorized-apps" size="xs" underline="always">
      {text}
    </AnchorLink>
  );
  return (
    <Text size="xs" c="dimmed" className="svc-anywhere">
      {rich('Created by <link>{name}</link>', { name: name ?? t('application {id}', { id }), link })}
    </Text>
  );
}

/** Savings from cached answers; nothing if there were none. */
function Saved({ saved_quota, saved_requests }: Pick<ApiKey, 'saved_quota' | 'saved_requests'>) {
  if (saved_requests === 0) return null;
  return (
    <Text size="xs" c="var(--mantine-color-teal-light-color)">
      {rich('{amount} saved by {count, plural, one {# cached response} other {# cached responses}}', {
        amount: <Money quota={saved_quota} />,
        count: saved_requests,
      })}
    </Text>
  );
}

/** Columns shared by all lists of keys. */
export const factColumns = (limitOf: LimitOf, makerOf?: MakerOf): Column<ApiKey>[] => [
  {
    key: 'name',
    header: t('Name'),
    fluid: true,
    sort: ({ name }) => name,
    cell: (key) => (
      <Stack gap={2}>
        <Group gap="xs" wrap="nowrap">
          <Text size="sm" fw={600} title={key.name}>
            {key.name}
          </Text>
          <Limits {...key} />
        </Group>
        <Text size="xs" c="dimmed" ff="monospace">
          {key.key}
        </Text>
        <OldSecret {...key} />
        <Imposed {...key} />
        {makerOf && key.made_by !== null && <Maker id={key.made_by} name={makerOf(key.made_by)} />}
      </Stack>
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    sort: (key) => stateOf(key).label,
    cell: (key) => {
      const { label, color } = stateOf(key);
      return <Badge color={color}>{label}</Badge>;
    },
  },
  {
    key: 'used',
    header: t('Spent'),
    align: 'right',
    sort: ({ used_quota }) => used_quota,
    cell: (key) => (
      <Stack gap={0}>
        <Money quota={key.used_quota} />
        <Saved {...key} />
      </Stack>
    ),
  },
  {
    key: 'left',
    header: t('Maximum spend'),
    align: 'right',
    cell: (key) => {
      const month = limitOf(key);
      return (
        <Stack gap={2}>
          {!key.unlimited_quota && <Money quota={key.remain_quota} />}
          {month && <MonthUse limit={month} name={key.name} />}
          {key.unlimited_quota && !month && t('No limit')}
        </Stack>
      );
    },
  },
  {
    key: 'accessed',
    header: t('Last used'),
    sort: ({ accessed_time }) => accessed_time,
    cell: ({ accessed_time }) => (accessed_time > 0 ? <TimeAgo at={accessed_time} /> : t('Never##used')),
  },
  {
    key: 'expires',
    header: t('Expires'),
    // Keys that never expire sort last.
    sort: ({ expired_time }) => (expired_time > 0 ? expired_time : Number.MAX_SAFE_INTEGER),
    cell: ({ expired_time }) =>
      expired_time > 0 ? <span title={formatExact(expired_time)}>{formatDateTime(expired_time)}</span> : t('Never'),
  },
];

export const keyColumns = ({
  makerOf,
  limitOf,
  limit,
  edit,
  toggle,
  rotate,
  endOld,
  revoke,
}: KeyActs): Column<ApiKey>[] => [
  ...factColumns(limitOf, makerOf),
  menuColumn(
    ({ name }) => name,
    (key) => [
      { label: t('Edit'), icon: IconEdit, onClick: () => edit(key) },
      toggleAct(isEnabled(key), () => toggle(key)),
      { label: t('Monthly limit'), icon: IconCalendarDollar, onClick: () => limit(key) },
      { label: t('Rotate secret'), icon: IconRefresh, onClick: () => rotate(key) },
      ...(key.previous ? [{ label: t('Revoke old secret'), icon: IconKeyOff, onClick: () => endOld(key) }] : []),
      { label: t('Revoke'), icon: IconTrash, danger: true, onClick: () => revoke(key) },
    ],
  ),
];
