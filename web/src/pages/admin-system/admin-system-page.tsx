import { Badge, Group, SimpleGrid, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { duration, megabytes } from './amounts.ts';

type System = Result<'/api/admin/system', 'get'>;

const refreshMs = 5_000;

const engineNames: Record<string, string> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  memory: 'In memory',
  redis: 'Redis',
  disk: 'Disk',
  s3: 'S3 bucket',
};

function Answer({ ms }: { ms: number | null }) {
  return ms === null ? <Badge color="red">Does not answer</Badge> : <Badge color="teal">{`Answers in ${ms} ms`}</Badge>;
}

function Engines({ engines, answers_in_ms: answers }: System) {
  const rows: [string, string, number | null | undefined][] = [
    ['Database', engines.database, answers.database],
    ['Shared state', engines.shared, answers.shared],
    ['Files', engines.blobs, undefined],
  ];
  return (
    <Section title="Engines" description="What this process stands on.">
      <Table aria-label="Engines">
        <Table.Tbody>
          {rows.map(([part, engine, ms]) => (
            <Table.Tr key={part}>
              <Table.Th scope="row" fw={500}>
                {part}
              </Table.Th>
              <Table.Td>
                <Group justify="space-between" gap="xs">
                  {engineNames[engine] ?? engine}
                  {ms !== undefined && <Answer ms={ms} />}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function Queues({ queues }: System) {
  return (
    <Section title="Queues" description="Durable work that waits or runs.">
      {queues.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing waits.
        </Text>
      ) : (
        <Table aria-label="Queues">
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
  const rows: [string, string][] = [
    ['Version', system.version],
    ['Runtime', system.runtime],
    ['Address', system.base_url],
    ['Process', `${system.pid}, started ${formatDateTime(system.started_at)}`],
    ['Built-in provider', `${active ? 'answering' : 'resting'} (DEMO_PROVIDER=${mode})`],
  ];
  return (
    <Section title="About">
      <Table aria-label="About">
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
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

/** What runs here, on what, and how it is doing. */
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
        title="System"
        description="The process that answered; with several workers, each has its own figures."
        actions={data && <Badge size="lg">{`Version ${data.version}`}</Badge>}
      />
      {query.error && !data && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.isPending && <Skeleton height={360} />}
      {data && (
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            <StatCard label="Up for" value={duration(data.uptime_seconds)} />
            <StatCard
              label="Memory"
              value={megabytes(data.memory.rss_bytes)}
              hint={`${megabytes(data.memory.heap_used_bytes)} of it JavaScript`}
            />
            <StatCard label="Calls under way" value={data.open_upstream_calls} hint="To providers, streams included" />
            <StatCard
              label="Open holds"
              value={formatNumber(data.open_holds.holds)}
              hint={
                <Group gap={4} component="span">
                  <Money quota={data.open_holds.amount} /> set aside
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
