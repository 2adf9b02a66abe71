import { Badge, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { Section } from '../../components/section.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { formatExact, formatMs, formatNumber, formatTime } from '../../format.ts';
import { t } from '../../language/words.ts';
import { type RunStatus, type TimelineEntry, timelineQuery } from './runs-queries.ts';
import { translateServerText } from './server-words.ts';
import { TimelineSums } from './timeline-sums.tsx';
import { entryWords, kindWords } from './timeline-words.ts';

const tokensOf = ({ prompt_tokens, completion_tokens }: TimelineEntry): string =>
  prompt_tokens === null ? '' : `${formatNumber(prompt_tokens)} → ${formatNumber(completion_tokens ?? 0)}`;

/** The arguments and result of a tool call, unformatted. */
function ToolTexts({ entry }: { entry: TimelineEntry }) {
  if (entry.kind !== 'tool_call' && entry.kind !== 'approval') {
    return entry.detail ? (
      <Text size="xs" c="dimmed" className="svc-anywhere">
        {translateServerText(entry.detail)}
      </Text>
    ) : null;
  }
  return (
    <details className="svc-more">
      <summary>{entry.status === 'open' ? t('Arguments') : t('Arguments and output')}</summary>
      <Code block mt={4} className="svc-anywhere">
        {entry.detail || '{}'}
      </Code>
      {entry.output !== null && (
        <Code block mt={4} className="svc-anywhere">
          {entry.output}
        </Code>
      )}
    </details>
  );
}

function What({ entry }: { entry: TimelineEntry }) {
  return (
    <Stack gap={2}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge size="sm" color={kindWords[entry.kind].color} flex="none">
          {kindWords[entry.kind].label}
        </Badge>
        <Text size="sm" className="svc-anywhere">
          {entryWords(entry)}
          {entry.task_id !== null && ` · ${entry.title ?? entry.task_id}`}
        </Text>
      </Group>
      <ToolTexts entry={entry} />
    </Stack>
  );
}

function Row({ entry }: { entry: TimelineEntry }) {
  return (
    <Table.Tr data-kind={entry.kind}>
      <Table.Td className="svc-timeline-time">
        <time dateTime={new Date(entry.at * 1000).toISOString()} title={formatExact(entry.at)}>
          {formatTime(entry.at)}
        </time>
      </Table.Td>
      <Table.Td className="svc-wrap">
        <What entry={entry} />
      </Table.Td>
      <Table.Td data-label={t('Model')} className="svc-anywhere">
        {entry.request_id ? (
          <AnchorLink to="/routing/decisions" search={{ open: entry.request_id }} size="sm">
            {entry.model}
          </AnchorLink>
        ) : (
          entry.model
        )}
      </Table.Td>
      <Table.Td data-label={t('Duration##taken')} ta="right" className="svc-number">
        {entry.duration_ms === null ? '' : formatMs(entry.duration_ms)}
      </Table.Td>
      <Table.Td data-label={t('Tokens')} ta="right" className="svc-number">
        {tokensOf(entry)}
      </Table.Td>
      <Table.Td data-label={t('Cost')} ta="right">
        {entry.quota === null ? '' : <Money quota={entry.quota} />}
      </Table.Td>
    </Table.Tr>
  );
}

const heads = [
  ['at', t('Time##of an entry')],
  ['what', t('Event##of a run')],
  ['model', t('Model')],
  ['time', t('Duration##taken')],
  ['tokens', t('Tokens')],
  ['cost', t('Cost')],
] as const;

function Rows({ entries }: { entries: TimelineEntry[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard (WCAG 2.1.1)
    <section className="svc-timeline" tabIndex={0} aria-label={t('Activity in chronological order')}>
      <Table verticalSpacing={6} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {heads.map(([key, head], index) => (
              <Table.Th key={key} scope="col" ta={index > 2 ? 'right' : undefined}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and the list only grows
            <Row key={`${entry.request_id ?? ''}${entry.at}${entry.kind}${entry.what}${index}`} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Everything the run did, with its cost. */
export function Timeline({ run }: { run: RunStatus }) {
  const running = run.status === 'running';
  const query = useInfiniteQuery({ ...timelineQuery(run.session_id), refetchInterval: running ? 3_000 : false });
  const { refetch } = query;
  // Fetch once more at the end, for entries written after the last poll.
  useEffect(() => {
    if (!running) void refetch();
  }, [running, refetch]);
  const entries = query.data?.pages.flatMap((page) => page.entries).toReversed() ?? [];
  const sums = query.data?.pages[0]?.sums;
  const parent = run.execution_id;
  return (
    <Section
      title={t('Timeline')}
      description={t('Every model call, tool call, decision and pause, with its cost')}
      actions={
        <Group gap="md">
          <AnchorLink to="/usage" search={{ parent }} size="sm" underline="always">
            {t('View requests')}
          </AnchorLink>
          <AnchorLink to="/routing/decisions" search={{ parent }} size="sm" underline="always">
            {t('View routing decisions')}
          </AnchorLink>
        </Group>
      }
    >
      {query.error && (
        <ErrorState error={query.error} title={t('The timeline could not be loaded')} onRetry={() => refetch()} />
      )}
      <ShowMore query={query} size="xs" mb="sm">
        {t('Show earlier entries')}
      </ShowMore>
      {entries.length > 0 ? (
        <Rows entries={entries} />
      ) : (
        <Text size="sm" c="dimmed">
          {query.isPending ? t('Loading…') : t('No activity yet.')}
        </Text>
      )}
      {sums && <TimelineSums sums={sums} />}
    </Section>
  );
}
