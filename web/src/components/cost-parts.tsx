import { Table } from '@mantine/core';
import { formatNumber } from '../format.ts';
import type { UsageLog } from '../requests.ts';
import { Money } from './money.tsx';

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

/** What was used of each part of a request, and what it cost. */
export function CostParts({ log }: { log: UsageLog }) {
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
