import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { Money } from '../../components/money.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import type { UsageLog } from '../../requests.ts';

type Part = UsageLog['parts'][number];

const names: Record<Part['part'], string> = {
  prompt: 'Prompt',
  cache_read: 'Read from cache',
  cache_write: 'Written to cache',
  cache_write_1h: 'Written to cache for an hour',
  audio_in: 'Sound in',
  image_in: 'Pictures in',
  completion: 'Answer',
  reasoning: 'Reasoning',
  audio_out: 'Sound out',
  request: 'Images, minutes or requests',
};
const order = Object.keys(names) as Part['part'][];

function Parts({ log }: { log: UsageLog }) {
  const rows = order.flatMap((name) => log.parts.filter(({ part }) => part === name));
  return (
    <Table verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Part</Table.Th>
          <Table.Th scope="col" ta="right">
            Used
          </Table.Th>
          <Table.Th scope="col" ta="right">
            Cost
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ part, tokens, units, cost }) => (
          <Table.Tr key={part}>
            <Table.Td>{names[part]}</Table.Td>
            <Table.Td ta="right" className="svc-number">
              {formatNumber(tokens ?? units ?? 0)}
            </Table.Td>
            <Table.Td ta="right">{cost === null ? '–' : <Money quota={cost} />}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th scope="row" colSpan={2}>
            Total
          </Table.Th>
          <Table.Th ta="right">
            <Money quota={log.quota + log.shortfall} />
          </Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}

function Detail({ log }: { log: UsageLog }) {
  return (
    <Stack>
      <div>
        <Text fw={500}>{log.model}</Text>
        <Text size="sm" c="dimmed">
          {formatDateTime(log.created_at)}
        </Text>
      </div>
      {log.estimated && (
        <Group gap="xs">
          <Badge color="yellow">Estimated</Badge>
          <Text size="sm" c="dimmed">
            Counted here: the provider told no usable numbers.
          </Text>
        </Group>
      )}
      <Parts log={log} />
      {log.saved_quota > 0 && (
        <Text size="sm">
          The answer was kept from an earlier request. It would have cost <Money quota={log.saved_quota} />.
        </Text>
      )}
      {log.shortfall > 0 && (
        <Text size="sm">
          Your balance did not cover <Money quota={log.shortfall} /> of it.
        </Text>
      )}
      <CopyField label="Request id" value={log.request_id} />
    </Stack>
  );
}

/** What one request used and cost, part by part. */
export function UsageDetail({ log, onClose }: { log: UsageLog | null; onClose: () => void }) {
  return (
    <DetailDrawer opened={log !== null} onClose={onClose} size="md" title="What it cost">
      {log && <Detail log={log} />}
    </DetailDrawer>
  );
}
