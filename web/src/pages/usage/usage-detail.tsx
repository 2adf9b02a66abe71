import { Stack, Text } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { CostBreakdown } from '../../components/cost-breakdown.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { formatExact } from '../../format.ts';
import { t } from '../../language/words.ts';
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
      <CostBreakdown log={log} />
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

export function UsageDetail({ log, onClose }: { log: UsageLog | null; onClose: () => void }) {
  return (
    <DetailDrawer opened={log !== null} onClose={onClose} size="md" title={t('Cost breakdown')}>
      {log && <Detail log={log} />}
    </DetailDrawer>
  );
}
