import { Badge, Group, Table, Text } from '@mantine/core';
import { formatNumber } from '../format.ts';
import { rich, t } from '../language/words.ts';
import type { UsageLog } from '../requests.ts';
import { Money } from './money.tsx';

type Part = UsageLog['parts'][number];

const names: Record<Part['part'], string> = {
  prompt: t('Prompt'),
  cache_read: t('Read from cache'),
  cache_write: t('Written to cache'),
  cache_write_1h: t('Written to cache for an hour'),
  audio_in: t('Audio input'),
  image_in: t('Image input'),
  completion: t('Output##part'),
  reasoning: t('Reasoning'),
  audio_out: t('Audio output'),
  request: t('Images, minutes or requests'),
  search: t('Web searches'),
};
const order = Object.keys(names) as Part['part'][];

/** Usage and cost of each part of a request. */
function Parts({ log }: { log: UsageLog }) {
  const rows = order.flatMap((name) => log.parts.filter(({ part }) => part === name));
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('Item')}</Table.Th>
            <Table.Th scope="col" ta="right">
              {t('Used')}
            </Table.Th>
            <Table.Th scope="col" ta="right">
              {t('Cost')}
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
              {t('Total')}
            </Table.Th>
            <Table.Th ta="right">
              <Money quota={log.quota + log.shortfall} />
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Usage and cost of one request, itemized, and what is special about them. */
export function CostBreakdown({ log }: { log: UsageLog }) {
  return (
    <>
      {log.estimated && (
        <Group gap="xs">
          <Badge color="yellow">{t('Estimated')}</Badge>
          <Text size="sm" c="dimmed">
            {t('Counted by this service, because the provider returned no usable numbers.')}
          </Text>
        </Group>
      )}
      <Parts log={log} />
      {log.own_key && (
        <Text size="sm">{t('This request used the caller’s own provider key. The cost is only the fee.')}</Text>
      )}
      {log.saved_quota > 0 && (
        <Text size="sm">
          {rich('The response came from the cache. It would have cost {amount}.', {
            amount: <Money quota={log.saved_quota} />,
          })}
        </Text>
      )}
      {log.shortfall > 0 && (
        <Text size="sm">
          {rich('The balance did not cover {amount} of the cost.', { amount: <Money quota={log.shortfall} /> })}
        </Text>
      )}
    </>
  );
}
