import { Alert as Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '../../components/error-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { alertWords } from './alert-words.ts';
import { type Alert, alertsQuery } from './overview-query.ts';

const colors = { error: 'red', warning: 'orange', info: 'indigo' } as const;

function OneAlert({ alert }: { alert: Alert }) {
  const { title, text, label, to, search } = alertWords(alert);
  const Icon = alert.severity === 'info' ? IconInfoCircle : IconAlertTriangle;
  return (
    <Card
      component="li"
      color={colors[alert.severity]}
      variant="light"
      icon={<Icon aria-hidden />}
      title={title}
      role="listitem"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="svc-anywhere" flex="1 1 16rem">
          {alert.since === null ? text : rich('{text} Since {time}.', { text, time: <TimeAgo at={alert.since} /> })}
        </Text>
        <ButtonLink to={to} search={search} size="xs" variant="default">
          {label}
        </ButtonLink>
      </Group>
    </Card>
  );
}

/** Problems that currently need attention. */
export function OverviewAlerts() {
  const { data, error, refetch } = useQuery(alertsQuery);
  if (error && !data)
    return <ErrorState error={error} title={t('Alerts could not be loaded')} onRetry={() => refetch()} />;
  if (!data) return <Skeleton height={56} />;
  if (data.length === 0) {
    return (
      <Group gap="xs" role="status">
        <IconCircleCheck size={18} color="var(--mantine-color-teal-6)" aria-hidden />
        <Text size="sm">{t('Nothing needs your attention.')}</Text>
      </Group>
    );
  }
  return (
    <Section title={t('Needs attention')}>
      <Stack component="ul" gap="sm" className="svc-plain-list" aria-label={t('Alerts')}>
        {data.map((alert) => (
          <OneAlert key={`${alert.kind} ${alert.id} ${alert.name} ${alert.detail}`} alert={alert} />
        ))}
      </Stack>
    </Section>
  );
}
