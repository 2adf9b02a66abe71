import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import { IconEdit, IconTrash } from '@tabler/icons-react';
import { switchedOn } from '../../catalog.ts';
import { EnabledBadge, toggleAct } from '../../components/enabled-state.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { TestButton } from '../../components/test-button.tsx';
import { formatNumber, formatQuota, quotaOfUsd } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { TestState } from '../../use-connection-tests.ts';
import { keyWords } from './channel-fields.ts';
import { type Credential, circuitOf } from './credential-fields.ts';

interface CredentialCardProps {
  credential: Credential;
  tried: TestState | undefined;
  test: () => void;
  edit: () => void;
  toggle: () => void;
  remove: () => void;
}

const dollars = (usd: number): string => formatQuota(quotaOfUsd(usd));

function limitsOf({ requests_per_minute, tokens_per_minute, spend_per_day }: Credential): string {
  const limits = [
    requests_per_minute !== null &&
      t('{count, plural, one {# request per minute} other {# requests per minute}}', { count: requests_per_minute }),
    tokens_per_minute !== null &&
      t('{count, plural, one {# token per minute} other {# tokens per minute}}', { count: tokens_per_minute }),
    spend_per_day !== null && t('{amount} per day', { amount: dollars(spend_per_day) }),
  ].filter((text) => text !== false);
  return limits.length > 0 ? t('At most {limits}', { limits: limits.join(t(', ##between limits')) }) : t('No limits');
}

/**
 * Today's statistics. A channel's only credential without limits has none of its own: it is measured with its channel.
 */
function Health({ health }: { health: Credential['health'] }) {
  if (!health)
    return (
      <Text size="sm" c="dimmed">
        {t('Measured together with its channel; see Health')}
      </Text>
    );
  const { requests, failures, tokens, spent } = health.today;
  return (
    <Text size="sm" c="dimmed" className="svc-number">
      {t(
        'Today: {requests, plural, one {# request} other {# requests}}, {failures} failed, {tokens, plural, one {# token} other {# tokens}}, {spent}',
        {
          requests,
          failures: formatNumber(failures),
          tokens,
          spent: dollars(spent),
        },
      )}
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
            <EnabledBadge on={enabled} />
            {circuit && <Badge color={circuit.color}>{circuit.label}</Badge>}
            {enabled && health?.at_limit && <Badge color="orange">{t('At its limit')}</Badge>}
            {first && <Badge color="gray">{t('The channel’s own')}</Badge>}
          </Group>
          <Text size="sm" c="dimmed">
            {t('{key} · weight {weight}', { key: keyWords(hint), weight: formatNumber(weight) })}
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
            { label: t('Edit'), icon: IconEdit, onClick: edit },
            toggleAct(enabled, toggle),
            { label: t('Remove'), icon: IconTrash, danger: true, onClick: remove },
          ]}
        />
      </Group>
    </Card>
  );
}
