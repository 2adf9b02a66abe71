import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconTicket } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, put, type Result } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { Money } from '../../components/money.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { numberColumn } from '../../components/number-column.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatDateTime, formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { usePage } from '../../use-url-state.ts';
import { MakeCodes, type NewCode } from './make-codes.tsx';
import { NewCodesDialog } from './new-codes-dialog.tsx';

type Code = Result<'/api/admin/redemption-codes', 'get'>['codes'][number];

const pageSize = 20;
const queryKey = ['admin-codes'];

function stateOf({ status, used, uses, expires_at }: Code): { label: string; color: string } {
  if (status !== 1) return { label: t('Deactivated'), color: 'gray' };
  if (used >= uses) return { label: t('Used up'), color: 'gray' };
  if (expires_at > 0 && expires_at <= Date.now() / 1000) return { label: t('Expired##code'), color: 'orange' };
  return { label: t('Valid##code'), color: 'teal' };
}

const columns = (toggle: (code: Code) => void): Column<Code>[] => [
  {
    key: 'code',
    header: t('Code'),
    cell: ({ code, note }) => (
      <Stack gap={0}>
        <Text size="sm" ff="monospace">
          {code}
        </Text>
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      </Stack>
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    cell: (code) => <Badge color={stateOf(code).color}>{stateOf(code).label}</Badge>,
  },
  { key: 'quota', header: t('Value##code'), align: 'right', cell: ({ quota }) => <Money quota={quota} /> },
  numberColumn('used', t('Used'), ({ used, uses }) =>
    t('{used} of {uses}', { used: formatNumber(used), uses: formatNumber(uses) }),
  ),
  {
    key: 'expires',
    header: t('Last day'),
    cell: ({ expires_at }) => (expires_at > 0 ? formatDateTime(expires_at) : t('None')),
  },
  { key: 'made', header: t('Created'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  menuColumn(
    (code) => t('code {id}', { id: code.id }),
    (code) => [
      code.status === 1
        ? { label: t('Deactivate##code'), icon: IconPlayerPause, danger: true, onClick: () => toggle(code) }
        : { label: t('Reactivate##code'), icon: IconPlayerPlay, onClick: () => toggle(code) },
    ],
  ),
];

export function Codes() {
  const [page, setPage] = usePage();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewCode[] | null>(null);
  const query = useQuery({
    queryKey: [...queryKey, page],
    queryFn: ({ signal }) => get('/api/admin/redemption-codes', { query: { page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: Code) =>
        put('/api/admin/redemption-codes/{id}', { path: { id }, body: { status: status === 1 ? 2 : 1 } }),
      onSuccess: ({ status }) => notifySuccess(status === 1 ? t('Code reactivated') : t('Code deactivated')),
      onError: notifyError,
      onSettled: () => queryClient.invalidateQueries({ queryKey }),
    },
    ({ id }) => id,
  );
  return (
    <Section
      title={t('Codes')}
      description={t('Anyone with a code can add its value to their balance.')}
      actions={
        <Group gap="sm">
          <Button
            component="a"
            href="/api/admin/redemption-codes?format=csv"
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('Download CSV')}
          </Button>
          <AddButton onClick={() => setMaking(true)}>{t('Create codes')}</AddButton>
        </Group>
      }
    >
      <DataTable
        label={t('Codes')}
        columns={columns((code) => toggle.mutate(code))}
        rows={query.data?.codes}
        rowKey={({ id }) => id}
        query={query}
        minWidth={820}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconTicket,
          title: t('No codes yet'),
          description: t('Create codes to give away or to sell yourself.'),
        }}
      />
      {making && (
        <MakeCodes
          onClose={() => setMaking(false)}
          onDone={(codes) => {
            setMaking(false);
            setMade(codes);
            queryClient.invalidateQueries({ queryKey });
          }}
        />
      )}
      {made && <NewCodesDialog codes={made} onClose={() => setMade(null)} />}
    </Section>
  );
}
