import { Button, Text } from '@mantine/core';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn } from '../../components/data-table.tsx';
import { t } from '../../language/words.ts';
import type { Decision } from './decisions-query.ts';
import { reasonWords } from './words.ts';

export const whyColumn = (): Column<Decision> => ({
  key: 'why',
  header: t('Why'),
  wrap: true,
  cell: ({ routing_reason }) => <Text size="sm">{reasonWords(routing_reason)}</Text>,
});

export const detailsColumn = (show: (decision: Decision) => void): Column<Decision> => ({
  ...actsColumn(t('Details')),
  cell: (decision) => (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={t('Details of {requestId}', { requestId: decision.request_id })}
      onClick={() => show(decision)}
    >
      {t('Details')}
    </Button>
  ),
});
