import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { post } from '../../api.ts';
import { Code } from '../../components/code-block.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { type Approval, approvalsQuery, reloadApprovals } from './tools-queries.ts';

const states: Record<Approval['state'], { label: string; color: string }> = {
  waiting: { label: t('Needs your approval'), color: 'orange' },
  approved: { label: t('Approved, not called yet'), color: 'teal' },
  refused: { label: t('Refused'), color: 'gray' },
};

/** The program that asks; a person approves the call for this one only. */
function askedBy({ asked_by: by }: Approval): string | null {
  if (!by) return null;
  if (by.type === 'session') return t('Requested by a chat in this web app');
  if (by.type === 'application')
    return by.name === null
      ? t('Requested by an application that was deleted')
      : t('Requested by the application {name}', { name: by.name });
  return by.name === null
    ? t('Requested with an API key that was deleted')
    : t('Requested with the API key {name}', { name: by.name });
}

function ApprovalCard({ approval }: { approval: Approval }) {
  const { id, server, tool, state, created_at, organisation } = approval;
  const asker = askedBy(approval);
  const answer = useAct({
    mutationFn: (approved: boolean) => post('/api/mcp/approvals/{id}', { path: { id }, body: { approved } }),
    onSuccess: (_, approved) =>
      notifySuccess(approved ? t('One call to {tool} approved', { tool }) : t('{tool} is not called', { tool })),
    onSettled: reloadApprovals,
  });
  return (
    <Card component="li" withBorder padding="sm" aria-label={t('{tool} of {server}', { tool, server })}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={0} miw={0} flex={1}>
            <Title order={3} size="h5" ff="monospace" className="svc-anywhere">
              {tool}
            </Title>
            <Text size="xs" c="dimmed">
              {rich('of {server}, requested {ago}', { server, ago: <TimeAgo at={created_at} /> })}
            </Text>
            {asker && (
              <Text size="sm" className="svc-anywhere">
                {asker}
              </Text>
            )}
            {organisation && (
              <Text size="xs" c="dimmed">
                {t('Requested with a team key of {organisation}', { organisation: organisation.name })}
              </Text>
            )}
          </Stack>
          <Badge color={states[state].color}>{states[state].label}</Badge>
        </Group>
        <Code
          label={t('Arguments of {tool} of {server}', { tool, server })}
          code={approval.arguments_text}
          maxHeight={240}
        />
        {answer.error && <ErrorState error={answer.error} title={t('Your choice could not be submitted')} />}
        {state === 'waiting' && (
          <Group gap="sm">
            <Button
              size="sm"
              loading={answer.isPending && answer.variables}
              aria-label={t('Approve {tool}', { tool })}
              onClick={() => answer.mutate(true)}
            >
              {t('Approve')}
            </Button>
            <Button
              size="sm"
              variant="default"
              loading={answer.isPending && !answer.variables}
              aria-label={t('Refuse {tool}', { tool })}
              onClick={() => answer.mutate(false)}
            >
              {t('Refuse')}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

/** Tool calls that need approval. Hidden while there are none. */
export function Approvals() {
  const { data, error, refetch } = useQuery(approvalsQuery);
  if (error && !data)
    return <ErrorState error={error} title={t('Pending calls could not be loaded')} onRetry={() => refetch()} />;
  if (!data?.length) return null;
  const waiting = data.filter(({ state }) => state === 'waiting');
  return (
    <Section
      title={waiting.length > 0 ? t('Calls waiting for your approval') : t('Calls you approved or refused')}
      description={t(
        'An agent wants to make these calls on your behalf, or on behalf of an organisation you run. An approved call can be made once, with exactly these arguments, and only by the program that requested it.',
      )}
    >
      <Stack component="ul" gap="sm" className="svc-plain-list" aria-label={t('Tool calls that require approval')}>
        {[...waiting, ...data.filter(({ state }) => state !== 'waiting')].map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      </Stack>
    </Section>
  );
}
