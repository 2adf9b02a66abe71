import { Badge, Group, SimpleGrid, Skeleton, Stack, Table, type TableTdProps, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, type Result } from '../../api.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatDateTime, formatMs, formatNumber } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import { duration, megabytes } from './amounts.ts';

type System = Result<'/api/admin/system', 'get'>;

const refreshMs = 5_000;

const engineNames: Record<string, string> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  memory: t('In memory'),
  redis: 'Redis',
  disk: t('Disk'),
  s3: t('S3 bucket'),
};

function Answer({ ms }: { ms: number | null }) {
  return ms === null ? (
    <Badge color="red">{t('Not responding')}</Badge>
  ) : (
    <Badge color="teal">{t('Responds in {time}', { time: formatMs(ms) })}</Badge>
  );
}

interface Fact {
  key: string;
  name: string;
  value: ReactNode;
}

function FactTable({ label, facts, cell }: { label: string; facts: Fact[]; cell?: TableTdProps }) {
  return (
    <Table aria-label={label}>
      <Table.Tbody>
        {facts.map(({ key, name, value }) => (
          <Table.Tr key={key}>
            <Table.Th scope="row" fw={500}>
              {name}
            </Table.Th>
            <Table.Td {...cell}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const engine = (name: string, ms?: number | null, fault?: string | null): ReactNode => (
  <>
    <Group justify="space-between" gap="xs">
      {engineNames[name] ?? name}
      {ms !== undefined && <Answer ms={ms} />}
    </Group>
    {fault && (
      <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
        {fault}
      </Text>
    )}
  </>
);

function Engines({ engines, answers_in_ms: answers, shared_fault: sharedFault }: System) {
  const facts = [
    { key: 'database', name: t('Database'), value: engine(engines.database, answers.database) },
    { key: 'shared', name: t('Shared state'), value: engine(engines.shared, answers.shared, sharedFault) },
    { key: 'blobs', name: t('Files'), value: engine(engines.blobs) },
  ];
  return (
    <Section title={t('Engines')} description={t('Backends that this process uses.')}>
      <Table.ScrollContainer minWidth={0} type="native">
        <FactTable label={t('Engines')} facts={facts} />
      </Table.ScrollContainer>
    </Section>
  );
}

function Queues({ queues }: System) {
  const facts = queues.map(({ queue, jobs }) => ({ key: queue, name: queue, value: formatNumber(jobs) }));
  return (
    <Section title={t('Queues')} description={t('Durable jobs that are waiting or running.')}>
      {queues.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No jobs.')}
        </Text>
      ) : (
        <FactTable label={t('Queues')} facts={facts} cell={{ ta: 'right', className: 'svc-number' }} />
      )}
    </Section>
  );
}

function About(system: System) {
  const { active, mode } = system.built_in;
  const started = { pid: system.pid, time: formatDateTime(system.started_at) };
  const builtIn = active
    ? t('active (DEMO_PROVIDER={mode})', { mode })
    : t('inactive (DEMO_PROVIDER={mode})', { mode });
  const facts = [
    { key: 'version', name: t('Version'), value: system.version },
    { key: 'runtime', name: t('Runtime'), value: system.runtime },
    { key: 'address', name: t('Address'), value: system.base_url },
    { key: 'process', name: t('Process'), value: t('{pid}, started {time}', started) },
    { key: 'built-in', name: t('Built-in provider'), value: builtIn },
  ];
  return (
    <Section title={t('About')}>
      <FactTable label={t('About')} facts={facts} cell={{ style: { overflowWrap: 'anywhere' } }} />
    </Section>
  );
}

/** Version, runtime and health of the service. */
export function AdminSystemPage() {
  const query = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => get('/api/admin/system', { signal }),
    refetchInterval: refreshMs,
  });
  const { data } = query;
  return (
    <>
      <PageHeader
        title={t('System')}
        description={t('Figures of the process that answered this request; with several workers, each has its own.')}
        actions={data && <Badge size="lg">{t('Version {version}', { version: data.version })}</Badge>}
      />
      {query.error && !data && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.isPending && <Skeleton height={360} />}
      {data && (
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            <StatCard label={t('Uptime')} value={duration(data.uptime_seconds)} />
            <StatCard
              label={t('Memory##of the process')}
              value={megabytes(data.memory.rss_bytes)}
              hint={t('JavaScript: {size}', { size: megabytes(data.memory.heap_used_bytes) })}
            />
            <StatCard
              label={t('Active calls')}
              value={data.open_upstream_calls}
              hint={t('To providers, including streams')}
            />
            <StatCard
              label={t('Open holds')}
              value={formatNumber(data.open_holds.holds)}
              hint={
                <Group gap={4} component="span">
                  {rich('{amount} reserved', { amount: <Money quota={data.open_holds.amount} /> })}
                </Group>
              }
            />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Engines {...data} />
            <Queues {...data} />
          </SimpleGrid>
          <About {...data} />
        </Stack>
      )}
    </>
  );
}
