import { Text } from '@mantine/core';
import { IconArrowsSplit2, IconEdit, IconTrash } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get, put } from '../../api.ts';
import { switchedOff, switchedOn } from '../../catalog.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EnabledBadge, notifyToggled, toggleAct } from '../../components/enabled-state.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { usePage } from '../../use-url-state.ts';
import { type Alias, type AliasFields, emptyAlias, fieldsOf } from './alias-fields.ts';
import { AliasForm } from './alias-form.tsx';
import { Preview } from './preview.tsx';

const pageSize = 20;
const queryKey = ['model-aliases'];

/** Aliases also appear in the list of models, so that query is invalidated too. */
const reload = () =>
  Promise.all([queryKey, ['models'], ['alias-preview']].map((key) => queryClient.invalidateQueries({ queryKey: key })));

type Open = { act: 'add' } | { act: 'edit' | 'remove'; alias: Alias };

interface Acts {
  edit: (alias: Alias) => void;
  toggle: (alias: Alias) => void;
  remove: (alias: Alias) => void;
}

const columns = ({ edit, toggle, remove }: Acts): Column<Alias>[] => [
  {
    key: 'name',
    header: t('Name'),
    wrap: true,
    cell: ({ name }) => (
      <Text size="sm" fw={600} className="svc-anywhere">
        {name}
      </Text>
    ),
  },
  {
    key: 'models',
    header: t('Points to'),
    wrap: true,
    cell: ({ models }) => (
      <Text size="sm" className="svc-anywhere">
        {models.join(', ')}
      </Text>
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status }) => <EnabledBadge on={status === switchedOn} />,
  },
  { key: 'changed', header: t('Changed##when'), cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
  menuColumn(
    ({ name }) => name,
    (alias) => [
      { label: t('Edit'), icon: IconEdit, onClick: () => edit(alias) },
      toggleAct(alias.status === switchedOn, () => toggle(alias)),
      { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => remove(alias) },
    ],
  ),
];

export function AdminAliasesPage() {
  const [page, setPage] = usePage();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const post = usePost();
  const query = useQuery({
    queryKey: [...queryKey, page],
    queryFn: ({ signal }) => get('/api/admin/model-aliases', { query: { page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: Alias) =>
        put('/api/admin/model-aliases/{id}', {
          path: { id },
          body: { status: status === switchedOn ? switchedOff : switchedOn },
        }),
      onSuccess: ({ name, status }) => notifyToggled(name, status === switchedOn),
      onError: notifyError,
      onSettled: reload,
    },
    ({ id }) => id,
  );
  const save = async ({ name, models }: AliasFields) => {
    const body = { name: name.trim(), models };
    if (open?.act === 'edit') await put('/api/admin/model-aliases/{id}', { path: { id: open.alias.id }, body });
    else await post('/api/admin/model-aliases', { body });
    notifySuccess(t('Alias saved'));
    close();
    await reload();
  };
  const button = <AddButton onClick={() => setOpen({ act: 'add' })}>{t('Add alias')}</AddButton>;
  return (
    <>
      <PageHeader
        title={t('Aliases')}
        description={t(
          'Give a model another name, or group several models under one name. The first available model answers.',
        )}
        actions={button}
      />
      <DataTable
        label={t('Aliases')}
        columns={columns({
          edit: (alias) => setOpen({ act: 'edit', alias }),
          toggle: (alias) => toggle.mutate(alias),
          remove: (alias) => setOpen({ act: 'remove', alias }),
        })}
        rows={query.data?.aliases}
        rowKey={({ id }) => id}
        query={query}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        detail={{
          label: ({ name }) => t('Models behind {name}', { name }),
          show: ({ name, models }) => <Preview name={name} models={models} />,
        }}
        empty={{
          icon: IconArrowsSplit2,
          title: t('No aliases yet'),
          description: t('Clients that use an alias need no change when you point it at another model.'),
          action: button,
        }}
      />
      {open && open.act !== 'remove' && (
        <AliasForm
          title={open.act === 'edit' ? t('Edit {name}', { name: open.alias.name }) : t('Add an alias')}
          submitLabel={open.act === 'edit' ? t('Save') : t('Add alias')}
          initial={open.act === 'edit' ? fieldsOf(open.alias) : emptyAlias}
          onClose={close}
          onSubmit={save}
        />
      )}
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Delete {name}?', { name: open.alias.name }) : t('Delete')}
        confirmLabel={t('Delete alias')}
        onConfirm={async () => {
          if (open?.act === 'remove') await del('/api/admin/model-aliases/{id}', { path: { id: open.alias.id } });
          notifySuccess(t('Alias deleted'));
          await reload();
        }}
      >
        {t('Requests that use this name will be rejected. Its models are not affected.')}
      </ConfirmDelete>
    </>
  );
}
