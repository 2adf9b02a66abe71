import { Button, Code } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { usePost } from '../../once.ts';
import { keysQuery, queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useOpened } from '../../use-url-state.ts';
import { keyColumns } from './key-columns.tsx';
import { type ApiKey, bodyOf, changesOf, emptyKey, fieldsOf, type KeyFields } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';

const reload = () => queryClient.invalidateQueries(keysQuery);

type Open = { act: 'create' } | { act: 'edit' | 'revoke'; key: ApiKey };

function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [before] = useState(() => fieldsOf(apiKey));
  const save = async (fields: KeyFields, nowSeconds: number) => {
    const body = changesOf(before, fields, nowSeconds);
    if (Object.keys(body).length > 0) await put('/api/tokens/{id}', { path: { id: apiKey.id }, body });
    notifySuccess('Key saved');
    onClose();
    await reload();
  };
  return (
    <KeyForm title={`Edit ${apiKey.name}`} submitLabel="Save" initial={before} onClose={onClose} onSubmit={save} />
  );
}

export function KeysPage() {
  const query = useQuery(keysQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const [named, setNamed] = useOpened();
  const namedKey = query.data?.find(({ id }) => String(id) === named);
  const post = usePost();
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: ApiKey) =>
        put('/api/tokens/{id}', { path: { id }, body: { status: status === 1 ? 2 : 1 } }),
      onSuccess: (key) => {
        queryClient.setQueryData(keysQuery.queryKey, (keys) => keys?.map((one) => (one.id === key.id ? key : one)));
        notifySuccess(key.status === 1 ? `${key.name} works again` : `${key.name} is disabled`);
      },
      onError: notifyError,
    },
    ({ id }) => id,
  );
  const create = async (fields: KeyFields, nowSeconds: number) => {
    const made = await post('/api/tokens', { body: bodyOf(fields, nowSeconds) });
    close();
    setSecret(made.key);
    await reload();
  };
  const button = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ act: 'create' })}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Keys"
        description={
          <>
            API keys call the models in your name. Send one as <Code>Authorization: Bearer sk-…</Code>
          </>
        }
        actions={button}
      />
      <DataTable
        label="API keys"
        columns={keyColumns({
          edit: (key) => setOpen({ act: 'edit', key }),
          toggle: (key) => toggle.mutate(key),
          revoke: (key) => setOpen({ act: 'revoke', key }),
        })}
        rows={query.data}
        rowKey={({ id }) => id}
        query={query}
        minWidth={820}
        empty={
          <EmptyState
            icon={IconKey}
            title="No keys yet"
            description="Create one for each program or person, so that you can limit and revoke them one by one."
            action={button}
          />
        }
      />
      {open?.act === 'create' && (
        <KeyForm title="Create a key" submitLabel="Create key" initial={emptyKey} onClose={close} onSubmit={create} />
      )}
      {open?.act === 'edit' && <EditKey apiKey={open.key} onClose={close} />}
      {namedKey && <EditKey key={named} apiKey={namedKey} onClose={() => setNamed('')} />}
      <ConfirmDelete
        opened={open?.act === 'revoke'}
        onClose={close}
        title={open?.act === 'revoke' ? `Revoke ${open.key.name}?` : 'Revoke'}
        confirmLabel="Revoke key"
        onConfirm={async () => {
          if (open?.act === 'revoke') await del('/api/tokens/{id}', { path: { id: open.key.id } });
          notifySuccess('Key revoked');
          await reload();
        }}
      >
        Programs that use it stop working at once. This cannot be undone.
      </ConfirmDelete>
      <SecretOnce secret={secret} title="Your new key" label="API key" onClose={() => setSecret(null)} />
    </>
  );
}
