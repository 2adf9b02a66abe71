import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import { IconEdit, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { switchedOn } from '../../catalog.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { TestButton } from '../../components/test-button.tsx';
import { formatNumber, formatQuota, quotaOfUsd } from '../../format.ts';
import type { Tried } from '../../use-tests.ts';
import { type Credential, circuitOf } from './credential-fields.ts';

interface CredentialCardProps {
  credential: Credential;
  tried: Tried | undefined;
  test: () => void;
  edit: () => void;
  toggle: () => void;
  remove: () => void;
}

const dollars = (usd: number): string => formatQuota(quotaOfUsd(usd));

function limitsOf({ requests_per_minute, tokens_per_minute, spend_per_day }: Credential): string {
  const limits = [
    requests_per_minute !== null && `${formatNumber(requests_per_minute)} requests a minute`,
    tokens_per_minute !== null && `${formatNumber(tokens_per_minute)} tokens a minute`,
    spend_per_day !== null && `${dollars(spend_per_day)} a day`,
  ].filter((text) => text !== false);
  return limits.length > 0 ? `At most ${limits.join(', ')}` : 'No limits';
}

/** How it does today. One that is alone and without limits is measured as its channel. */
function Health({ health }: { health: Credential['health'] }) {
  if (!health)
    return (
      <Text size="sm" c="dimmed">
        Measured with its channel: see Health
      </Text>
    );
  const { requests, failures, tokens, spent } = health.today;
  return (
    <Text size="sm" c="dimmed" className="svc-number">
      Today: {formatNumber(requests)} requests, {formatNumber(failures)} failed, {formatNumber(tokens)} tokens,{' '}
      {dollars(spent)}
    </Text>
  );
}

export function CredentialCard({ credential, tried, test, edit, toggle, remove }: CredentialCardProps) {
  const { name, credential_hint: hint, weight, first, health, status } = credential;
  const enabled = status === switchedOn;
  const circuit = enabled && health ? circuitOf(health) : null;
  return (
    <Card component="li" withBorder padding="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Stack gap={4} miw={0}>
          <Group gap={6}>
            <Text size="sm" fw={600} className="svc-anywhere">
              {name}
            </Text>
            <Badge color={enabled ? 'teal' : 'gray'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>
            {circuit && <Badge color={circuit.color}>{circuit.label}</Badge>}
            {enabled && health?.at_limit && <Badge color="orange">At its limit</Badge>}
            {first && <Badge color="gray">The channel’s own</Badge>}
          </Group>
          <Text size="sm" c="dimmed">
            Key {hint ?? 'stored'} · weight {formatNumber(weight)}
          </Text>
          <Text size="sm" c="dimmed">
            {limitsOf(credential)}
          </Text>
          <Health health={health} />
          <TestButton name={name} tried={tried} onTest={test} whole />
        </Stack>
        <RowMenu
          label={name}
          acts={[
            { label: 'Edit', icon: IconEdit, onClick: edit },
            enabled
              ? { label: 'Disable', icon: IconPlayerPause, onClick: toggle }
              : { label: 'Enable', icon: IconPlayerPlay, onClick: toggle },
            { label: 'Remove', icon: IconTrash, danger: true, onClick: remove },
          ]}
        />
      </Group>
    </Card>
  );
}
