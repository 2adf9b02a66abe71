import { Badge, Group, SimpleGrid, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
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

function Engines({ engines, answers_in_ms: answers, shared_fault: sharedFault }: System) {
  const rows: { key: string; part: string; engine: string; ms?: number | null; fault?: string | null }[] = [
    { key: 'database', part: t('Database'), engine: engines.database, ms: answers.database },
    { key: 'shared', part: t('Shared state'), engine: engines.shared, ms: answers.shared, fault: sharedFault },
    { key: 'blobs', part: t('Files'), engine: engines.blobs },
  ];
  return (
    <Section title={t('Engines')} description={t('Backends that this process uses.')}>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label={t('Engines')}>
          <Table.Tbody>
            {rows.map(({ key, part, engine, ms, fault }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" fw={500}>
                  {part}
                </Table.Th>
                <Table.Td>
                  <Group justify="space-between" gap="xs">
                    {engineNames[engine] ?? engine}
                    {ms !== undefined && <Answer ms={ms} />}
                  </Group>
                  {fault && (
                    <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
                      {fault}
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}

function Queues({ queues }: System) {
  return (
    <Section title={t('Queues')} description={t('Durable jobs that are waiting or running.')}>
      {queues.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('No jobs.')}
        </Text>
      ) : (
        <Table aria-label={t('Queues')}>
          <Table.Tbody>
            {queues.map(({ queue, jobs }) => (
              <Table.Tr key={queue}>
                <Table.Th scope="row" fw={500}>
                  {queue}
                </Table.Th>
                <Table.Td ta="right" className="svc-number">
                  {formatNumber(jobs)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
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
  const rows: [key: string, name: string, value: string][] = [
    ['version', t('Version'), system.version],
    ['runtime', t('Runtime'), system.runtime],
    ['address', t('Address'), system.base_url],
    ['process', t('Process'), t('{pid}, started {time}', started)],
    ['built-in', t('Built-in provider'), builtIn],
  ];
  return (
    <Section title={t('About')}>
      <Table aria-label={t('About')}>
        <Table.Tbody>
          {rows.map(([key, name, value]) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={500}>
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
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
