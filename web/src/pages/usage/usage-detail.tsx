import { Badge, Group, Stack, Text } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { CostParts } from '../../components/cost-parts.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { formatExact } from '../../format.ts';
import { rich, t } from '../../language/words.ts';
import type { UsageLog } from '../../requests.ts';

function Detail({ log }: { log: UsageLog }) {
  return (
    <Stack>
      <div>
        <Text fw={500}>{log.model}</Text>
        <Text size="sm" c="dimmed">
          {formatExact(log.created_at)}
        </Text>
      </div>
      {log.estimated && (
        <Group gap="xs">
          <Badge color="yellow">{t('Estimated')}</Badge>
          <Text size="sm" c="dimmed">
            {t('Counted by this service, because the provider returned no usable numbers.')}
          </Text>
        </Group>
      )}
      <CostParts log={log} />
      {log.saved_quota > 0 && (
        <Text size="sm">
          {rich('The response came from the cache. It would have cost {amount}.', {
            amount: <Money quota={log.saved_quota} />,
          })}
        </Text>
      )}
      {log.shortfall > 0 && (
        <Text size="sm">
          {rich('Your balance did not cover {amount} of the cost.', { amount: <Money quota={log.shortfall} /> })}
        </Text>
      )}
      <AnchorLink
        to="/requests/$id"
        params={{ id: log.request_id }}
        search={{ at: String(log.created_at) }}
        size="sm"
        underline="always"
      >
        {t('View request')}
      </AnchorLink>
      <CopyField label={t('Request id')} value={log.request_id} />
    </Stack>
  );
}

/** Usage and cost of one request, itemized. */
export function UsageDetail({ log, onClose }: { log: UsageLog | null; onClose: () => void }) {
  return (
    <DetailDrawer opened={log !== null} onClose={onClose} size="md" title={t('Cost breakdown')}>
      {log && <Detail log={log} />}
    </DetailDrawer>
  );
}
