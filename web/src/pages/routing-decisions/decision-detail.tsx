import { Badge, Code, Group, Progress, Stack, Table, Text, Timeline, Title } from '@mantine/core';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { CopyButton } from '../../components/copy-button.tsx';
import { HealthBadge } from '../../components/health-badge.tsx';
import { strategyName } from '../../components/strategy-choice.tsx';
import { formatExact, formatMs, formatPercent, formatUsd } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import type { Attempt, Candidate, Decision } from './decisions-query.ts';
import { causeOf, droppedBecause, outcomeOf, reasonWords } from './words.ts';

/** The candidate comes first, because on a phone each row is a card and the first column its title. */
const headers = {
  candidate: t('Candidate'),
  rank: t('Rank'),
  score: t('Score'),
  state: t('State'),
  success: t('Success'),
  latency: t('Latency'),
  price: t('Price / M'),
};
const numeric = new Set(['success', 'latency', 'price']);

interface CandidateRowProps {
  candidate: Candidate;
  best: number;
  channelName: (id: number) => string;
}

function CandidateRow({ candidate, best, channelName }: CandidateRowProps) {
  const { rank, dropped, score } = candidate;
  return (
    <Table.Tr>
      <Table.Td data-label={headers.candidate}>
        <Text size="sm" fw={rank === 1 ? 600 : undefined} c={dropped ? 'dimmed' : undefined}>
          {candidate.provider}
        </Text>
        <Text size="xs" c="dimmed">
          {channelName(candidate.channel_id)}
        </Text>
      </Table.Td>
      <Table.Td data-label={headers.rank} className="svc-number">
        {rank ?? '–'}
      </Table.Td>
      <Table.Td data-label={headers.score} miw={120}>
        {dropped ? (
          <Text size="sm" c="dimmed">
            {droppedBecause(dropped)}
          </Text>
        ) : (
          <Stack gap={2}>
            <Text size="sm" className="svc-number">
              {score.toFixed(3)}
            </Text>
            <Progress
              value={best > 0 ? (score / best) * 100 : 0}
              size="xs"
              aria-label={t('Score of {provider}', { provider: candidate.provider })}
            />
          </Stack>
        )}
      </Table.Td>
      <Table.Td data-label={headers.state}>
        <Group gap={4}>
          <HealthBadge
            circuit={candidate.circuit_state}
            successRate={candidate.success_rate}
            samples={candidate.samples}
          />
          {candidate.preferred && <Badge color="indigo">{t('Preferred')}</Badge>}
          {candidate.behind_soft_limit && <Badge color="orange">{t('Outside preferred limits')}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td data-label={headers.success} className="svc-right svc-number">
        {candidate.samples > 0 ? formatPercent((candidate.success_rate * 100).toFixed(1)) : '–'}
      </Table.Td>
      <Table.Td data-label={headers.latency} className="svc-right svc-number">
        {candidate.samples > 0 ? formatMs(candidate.latency_ms) : '–'}
      </Table.Td>
      <Table.Td data-label={headers.price} className="svc-right svc-number">
        {candidate.avg_price === 0 ? t('free') : formatUsd(candidate.avg_price)}
      </Table.Td>
    </Table.Tr>
  );
}

function Candidates({ decision, channelName }: { decision: Decision; channelName: (id: number) => string }) {
  const best = Math.max(...decision.candidates.map(({ score }) => score), 0);
  return (
    <Table.ScrollContainer
      minWidth={640}
      className="svc-table-scroll"
      type="native"
      tabIndex={0}
      role="region"
      aria-label={t('Candidates')}
    >
      <Table className="svc-table svc-cards" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {Object.entries(headers).map(([key, header]) => (
              <Table.Th key={key} scope="col" className={numeric.has(key) ? 'svc-right' : undefined}>
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {decision.candidates.map((candidate) => (
            <CandidateRow
              key={`${candidate.provider} ${candidate.channel_id}`}
              candidate={candidate}
              best={best}
              channelName={channelName}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const icons: Record<string, typeof IconCheck> = { success: IconCheck, failure: IconX };

function attemptItem(attempt: Attempt, index: number) {
  const { label, color } = outcomeOf(attempt.outcome);
  const Icon = icons[attempt.outcome] ?? IconMinus;
  const facts = [
    causeOf(attempt.cause),
    attempt.status === null ? null : `HTTP ${attempt.status}`,
    formatMs(attempt.latency_ms),
    attempt.ttft_ms === null ? null : t('first token after {duration}', { duration: formatMs(attempt.ttft_ms) }),
  ].filter(Boolean);
  return (
    <Timeline.Item
      key={index}
      color={color}
      bullet={<Icon size={12} aria-hidden />}
      title={t('{provider}: {outcome}', { provider: attempt.provider, outcome: label.toLowerCase() })}
    >
      <Text size="sm" c="dimmed">
        {facts.join(' · ')}
      </Text>
    </Timeline.Item>
  );
}

/** Why a request was routed as it was: the candidates, their scores, and the attempts. */
export function DecisionDetail({ decision, channelName }: { decision: Decision; channelName: (id: number) => string }) {
  const { label, color } = outcomeOf(decision.outcome);
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group gap="xs">
          <Badge color={color}>{label}</Badge>
          <Badge color="gray">{strategyName(decision.routing_strategy)}</Badge>
          <Text size="sm" c="dimmed">
            {formatExact(decision.created_at)} · {formatMs(decision.duration_ms)}
          </Text>
        </Group>
        <Group gap={4}>
          <Text size="sm" c="dimmed">
            {rich('Request {id}', { id: <Code>{decision.request_id}</Code> })}
          </Text>
          <CopyButton value={decision.request_id} label={t('Copy request id')} />
        </Group>
      </Stack>
      <section>
        <Title order={3} mb={6}>
          {t('Why')}
        </Title>
        <Text size="sm">{t('{reason}.', { reason: reasonWords(decision.routing_reason) })}</Text>
      </section>
      <section>
        <Title order={3} mb="xs">
          {t('Attempts')}
        </Title>
        {decision.attempts.length === 0 ? (
          <Text size="sm">{t('No provider was called: the circuit of every candidate was open.')}</Text>
        ) : (
          <Timeline active={decision.attempts.length} bulletSize={22} lineWidth={2}>
            {decision.attempts.map(attemptItem)}
          </Timeline>
        )}
      </section>
      <section>
        <Title order={3} mb="xs">
          {t('Candidate providers')}
        </Title>
        <Candidates decision={decision} channelName={channelName} />
      </section>
    </Stack>
  );
}
