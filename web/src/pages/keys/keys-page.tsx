import { Code } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get, put } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { useOwnerChoice } from '../../components/owner-choice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { usePost } from '../../idempotent-post.ts';
import { rich, t } from '../../language/words.ts';
import { reloadOrganisations } from '../../organisations.ts';
import { ownerBody } from '../../owner.ts';
import { keysQuery, queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useOpened } from '../../use-url-state.ts';
import { keyColumns } from './key-columns.tsx';
import { type ApiKey, bodyOf, changesOf, emptyKey, fieldsOf, type KeyFields } from './key-fields.ts';
import { KeyForm } from './key-form.tsx';
import { type LimitFields, limitBodyOf } from './limit-fields.ts';
import { MonthLimit } from './month-limit.tsx';
import { RotateKey } from './rotate-key.tsx';

const reload = () => queryClient.invalidateQueries(keysQuery);

const limitsQuery = queryOptions({
  queryKey: ['key-limits'],
  queryFn: ({ signal }) => get('/api/tokens/limits', { signal }),
});

/** One page of consents; users with more find the rest on the page of authorized applications. */
const consentsQuery = queryOptions({
  queryKey: ['consents', 'of-keys'],
  queryFn: ({ signal }) => get('/api/oauth2/consents', { query: { page_size: 100 }, signal }),
});

type Open = { act: 'create' } | { act: 'edit' | 'limit' | 'rotate' | 'end old' | 'revoke'; key: ApiKey };

function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [before] = useState(() => fieldsOf(apiKey));
  const save = async (fields: KeyFields, nowSeconds: number) => {
    const body = changesOf(before, fields, nowSeconds);
    if (Object.keys(body).length > 0) await put('/api/tokens/{id}', { path: { id: apiKey.id }, body });
    notifySuccess(t('Key saved'));
    onClose();
    await reload();
  };
  return <KeyForm edited={apiKey.name} initial={before} onClose={onClose} onSubmit={save} />;
}

interface NewKeyProps {
  onClose: () => void;
  /** Called with the key, which is shown only once. */
  onDone: (secret: string) => void;
}

/** Creates a personal key or an organisation's key. */
function NewKey({ onClose, onDone }: NewKeyProps) {
  const post = usePost();
  const { organisationId: id, who, seen, field } = useOwnerChoice({ among: 'key' });
  const create = async (fields: KeyFields, nowSeconds: number) => {
    await seen();
    const body = bodyOf(fields, nowSeconds);
    const made =
      id === null
        ? await post('/api/tokens', { body })
        : await post('/api/organisations/{id}/keys', { path: { id }, body: { ...body, ...ownerBody(who) } });
    if (who.startsWith('team:')) notifySuccess(t('The key belongs to the team and is listed with the organisation'));
    onClose();
    onDone(made.key);
    await Promise.all([reload(), id !== null && reloadOrganisations(id)]);
  };
  return <KeyForm initial={emptyKey} owner={field} onClose={onClose} onSubmit={create} />;
}

export function KeysPage() {
  const query = useQuery(keysQuery);
  const limits = useQuery(limitsQuery).data?.limits;
  const limitOf = ({ id }: ApiKey) => limits?.find(({ key_id }) => key_id === id);
  const isMade = query.data?.some(({ made_by }) => made_by !== null) ?? false;
  const consents = useQuery({ ...consentsQuery, enabled: isMade }).data?.consents;
  const [open, setOpen] = useState<Open | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const [named, setNamed] = useOpened();
  const namedKey = query.data?.find(({ id }) => String(id) === named);
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: ApiKey) =>
        put('/api/tokens/{id}', { path: { id }, body: { status: status === 1 ? 2 : 1 } }),
      onSuccess: (key) => {
        queryClient.setQueryData(keysQuery.queryKey, (keys) => keys?.map((one) => (one.id === key.id ? key : one)));
        notifySuccess(
          key.status === 1 ? t('{name} works again', { name: key.name }) : t('{name} is disabled', { name: key.name }),
        );
      },
      onError: notifyError,
    },
    ({ id }) => id,
  );
  const post = usePost();
  const saveLimit = async (key: ApiKey, fields: LimitFields) => {
    const path = { id: key.id };
    if (fields.usd !== '') await put('/api/tokens/{id}/limit', { path, body: limitBodyOf(fields) });
    else if (limitOf(key)) await del('/api/tokens/{id}/limit', { path });
    notifySuccess(t('Limit saved'));
    close();
    await queryClient.invalidateQueries(limitsQuery);
  };
  const rotate = async ({ id }: ApiKey, overlap_seconds: number) => {
    const { key } = await post('/api/tokens/{id}/rotate', { path: { id }, body: { overlap_seconds } });
    close();
    setSecret(key);
    await reload();
  };
  const button = <AddButton onClick={() => setOpen({ act: 'create' })}>{t('Create key')}</AddButton>;
  return (
    <>
      <PageHeader
        title={t('Keys')}
        description={rich('API keys call models on your behalf. Send one as <code>Authorization: Bearer sk-…</code>', {
          code: (text) => <Code>{text}</Code>,
        })}
        actions={button}
      />
      <ListTable
        label={t('API keys')}
        columns={keyColumns({
          makerOf: consents && ((id) => consents.find(({ application_id }) => application_id === id)?.app_name),
          limitOf,
          limit: (key) => setOpen({ act: 'limit', key }),
          edit: (key) => setOpen({ act: 'edit', key }),
          toggle: (key) => toggle.mutate(key),
          rotate: (key) => setOpen({ act: 'rotate', key }),
          endOld: (key) => setOpen({ act: 'end old', key }),
          revoke: (key) => setOpen({ act: 'revoke', key }),
        })}
        rows={query.data}
        rowKey={({ id }) => id}
        textOf={({ name, key, models }) => `${name} ${key} ${models.join(' ')}`}
        query={query}
        minWidth={820}
        empty={{
          icon: IconKey,
          title: t('No keys yet'),
          description: t('Create one for each program or person, so that you can limit and revoke each separately.'),
          action: button,
        }}
      />
      {open?.act === 'create' && <NewKey onClose={close} onDone={setSecret} />}
      {open?.act === 'edit' && <EditKey apiKey={open.key} onClose={close} />}
      {namedKey && <EditKey key={named} apiKey={namedKey} onClose={() => setNamed('')} />}
      {open?.act === 'limit' && (
        <MonthLimit
          apiKey={open.key}
          limit={limitOf(open.key)}
          onClose={close}
          onSubmit={(fields) => saveLimit(open.key, fields)}
        />
      )}
      {open?.act === 'rotate' && (
        <RotateKey apiKey={open.key} onClose={close} onSubmit={(overlap) => rotate(open.key, overlap)} />
      )}
      <ConfirmDelete
        opened={open?.act === 'end old'}
        onClose={close}
        title={open?.act === 'end old' ? t('Revoke the old secret of {name}?', { name: open.key.name }) : t('Revoke')}
        confirmLabel={t('Revoke old secret')}
        onConfirm={async () => {
          if (open?.act === 'end old') await del('/api/tokens/{id}/previous', { path: { id: open.key.id } });
          notifySuccess(t('Old secret revoked'));
          await reload();
        }}
      >
        {t('Programs that still use it stop working immediately. The new secret stays valid.')}
      </ConfirmDelete>
      <ConfirmDelete
        opened={open?.act === 'revoke'}
        onClose={close}
        title={open?.act === 'revoke' ? t('Revoke {name}?', { name: open.key.name }) : t('Revoke')}
        confirmLabel={t('Revoke key')}
        onConfirm={async () => {
          if (open?.act === 'revoke') await del('/api/tokens/{id}', { path: { id: open.key.id } });
          notifySuccess(t('Key revoked'));
          await reload();
        }}
      >
        {t('Programs that use it stop working immediately. This cannot be undone.')}
      </ConfirmDelete>
      <SecretOnce secret={secret} title={t('Your new key')} label={t('API key')} onClose={() => setSecret(null)} />
    </>
  );
}
