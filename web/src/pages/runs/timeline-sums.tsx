import { Table, Text } from '@mantine/core';
import { Money } from '../../components/money.tsx';
import { formatMs, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { TimelinePage } from './runs-queries.ts';

type Sums = NonNullable<TimelinePage['sums']>;
type Sum = Sums['run'];

function Cells({ sum }: { sum: Sum }) {
  return (
    <>
      <Table.Td data-label={t('Calls')} ta="right" className="svc-number">
        {formatNumber(sum.calls)}
      </Table.Td>
      <Table.Td data-label={t('Duration##taken')} ta="right" className="svc-number">
        {formatMs(sum.duration_ms)}
      </Table.Td>
      <Table.Td data-label={t('Tokens')} ta="right" className="svc-number">
        {`${formatNumber(sum.prompt_tokens)} → ${formatNumber(sum.completion_tokens)}`}
      </Table.Td>
      <Table.Td data-label={t('Cost')} ta="right">
        <Money quota={sum.quota} />
      </Table.Td>
    </>
  );
}

const heads = [
  ['calls', t('Calls')],
  ['time', t('Model time')],
  ['tokens', t('Tokens')],
  ['cost', t('Cost')],
] as const;

/** The cost of each task and of the whole run. */
export function TimelineSums({ sums }: { sums: Sums }) {
  if (sums.run.calls === 0) return null;
  return (
    <>
      <Table verticalSpacing={6} mt="lg" className="svc-timeline-sums" aria-label={t('Cost of each task')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('Task')}</Table.Th>
            {heads.map(([key, head]) => (
              <Table.Th key={key} scope="col" ta="right">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sums.tasks.map((sum) => (
            <Table.Tr key={sum.task_id ?? ''}>
              <Table.Th scope="row" fw={400} className="svc-wrap svc-anywhere">
                {sum.task_id === null ? t('Planning, judging, memory') : (sum.title ?? sum.task_id)}
              </Table.Th>
              <Cells sum={sum} />
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">{t('Whole run')}</Table.Th>
            <Cells sum={sums.run} />
          </Table.Tr>
        </Table.Tfoot>
      </Table>
      {!sums.complete && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('These totals cover only the latest calls; there are more.')}
        </Text>
      )}
    </>
  );
}
