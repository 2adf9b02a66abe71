import { Table, Text } from '@mantine/core';
import { formatUsd } from '../../format.ts';
import { t } from '../../language/words.ts';
import { priceTable } from '../../model-facts.ts';
import type { OfferedModel } from '../../models.ts';

/** All parts of the price, with a column for each tier of prompt size. */
export function PriceTable({ model: { prices, types } }: { model: OfferedModel }) {
  if (prices === null)
    return (
      <Text size="sm">
        {t('It calls other models on your behalf; each call is charged at the price of the model called.')}
      </Text>
    );
  const { columns, rows } = priceTable({ prices, types });
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label={t('Prices')}>
      <Table className="svc-price-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">
              <span className="svc-hidden">{t('Item')}</span>
            </Table.Th>
            {columns.map((column) => (
              <Table.Th key={column} scope="col" ta="right">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ label, values }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={500}>
                {label}
              </Table.Th>
              {values.map((value, index) => (
                <Table.Td key={columns[index]} ta="right" className="svc-number">
                  {typeof value === 'number' ? formatUsd(value) : t('same as {part}', { part: value.as.toLowerCase() })}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
