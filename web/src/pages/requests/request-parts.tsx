import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useChannelNames } from '../../catalog.ts';
import { CostBreakdown } from '../../components/cost-breakdown.tsx';
import { Money } from '../../components/money.tsx';
import { Section } from '../../components/section.tsx';
import { formatNumber } from '../../format.ts';
import { serverText } from '../../language/server-texts.ts';
import { rich, t } from '../../language/words.ts';
import { DecisionDetail } from '../routing-decisions/decision-detail.tsx';
import { saidBy } from '../usage/request-words.ts';
import { RequestTable } from './request-table.tsx';
import { type RequestDetail, requestsDefaults } from './requests-query.ts';

type Log = RequestDetail['logs'][number];

export function CostOfRequest({ log }: { log: Log }) {
  return (
    <Section title={t('Cost breakdown')}>
      <Stack>
        <CostBreakdown log={log} />
      </Stack>
    </Section>
  );
}

/** Why the request failed. Administrators also see the upstream's error message. */
export function FailureOfRequest({ failure }: { failure: NonNullable<RequestDetail['failure']> }) {
  const { status, code, message, provider, upstream_status, upstream_message } = failure;
  return (
    <Section title={t('Failure reason')} description={t('Nothing was charged.')}>
      <Stack gap="sm">
        <div>
          <Text size="sm" fw={600}>
            {t('Error message returned to the caller')}
          </Text>
          <Text size="sm" className="svc-anywhere">
            {status} {code}: {serverText(message)}
          </Text>
        </div>
        {upstream_message && (
          <div>
            <Text size="sm" fw={600}>
              {saidBy(provider)}
            </Text>
            <Text size="sm" className="svc-anywhere">
              {upstream_status ? `${upstream_status}: ` : ''}
              {serverText(upstream_message)}
            </Text>
          </div>
        )}
      </Stack>
    </Section>
  );
}

interface CallsProps {
  id: string;
  calls: NonNullable<RequestDetail['calls']>;
}

/** The calls made by a turn, a run or a batch. */
export function CallsOfRequest({ id, calls }: CallsProps) {
  const [cursor, setCursor] = useState('');
  const answered = formatNumber(calls.answered);
  const cost = <Money quota={calls.quota} />;
  return (
    <Section
      title={t('Calls made')}
      description={
        calls.failed > 0
          ? rich('{answered} answered, {failed} failed, {cost} in total', {
              answered,
              failed: formatNumber(calls.failed),
              cost,
            })
          : rich('{answered} answered, {cost} in total', { answered, cost })
      }
    >
      <RequestTable state={{ ...requestsDefaults, parent: id, cursor }} onCursor={setCursor} />
    </Section>
  );
}

/** Which providers were tried, and why. */
export function DecisionsOfRequest({ decisions }: Pick<RequestDetail, 'decisions'>) {
  const channelName = useChannelNames();
  return decisions.map((decision) => (
    <Section
      key={decision.id}
      title={decisions.length > 1 ? t('Routing of {model}', { model: decision.model_id }) : t('Routing')}
    >
      <DecisionDetail decision={decision} channelName={channelName} />
    </Section>
  ));
}
