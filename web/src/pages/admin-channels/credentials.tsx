import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get, post, put } from '../../api.ts';
import { refreshMs, reloadCatalog, switchedOff, switchedOn } from '../../catalog.ts';
import { changedFields } from '../../changed-fields.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DetailDrawer } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifyToggled } from '../../components/enabled-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useConnectionTests } from '../../use-connection-tests.ts';
import { CredentialCard } from './credential-card.tsx';
import { bodyOf, type Credential, type CredentialFields, fieldsOf } from './credential-fields.ts';
import { CredentialForm } from './credential-form.tsx';

type Open = { act: 'add' } | { act: 'edit' | 'remove'; credential: Credential };

const path = '/api/admin/channels/{id}/credentials';
const queryKey = (id: number) => ['credentials', id];

/** The channel list also shows the channel's own key, so it is reloaded too. */
const reload = (id: number) =>
  Promise.all([queryClient.invalidateQueries({ queryKey: queryKey(id) }), reloadCatalog()]);

function List({ id }: { id: number }) {
  const query = useQuery({
    queryKey: queryKey(id),
    queryFn: ({ signal }) => get(path, { path: { id }, signal }),
    refetchInterval: refreshMs,
  });
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const postOnce = usePost();
  const ask = (credential_id: number) => post(`${path}/{credential_id}/test`, { path: { id, credential_id } });
  const { tried, test } = useConnectionTests(ask);
  const toggle = useAct(
    {
      mutationFn: ({ id: credential_id, status }: Credential) =>
        put(`${path}/{credential_id}`, {
          path: { id, credential_id },
          body: { status: status === switchedOn ? switchedOff : switchedOn },
        }),
      onSuccess: ({ name, status }) => notifyToggled(name, status === switchedOn),
      onError: notifyError,
      onSettled: () => reload(id),
    },
    (credential) => credential.id,
  );
  const save = async (fields: CredentialFields) => {
    const editing = open?.act === 'edit' ? open.credential : null;
    const body = editing ? changedFields(bodyOf(fieldsOf(editing)), bodyOf(fields)) : bodyOf(fields);
    const saved = editing
      ? await put(`${path}/{credential_id}`, { path: { id, credential_id: editing.id }, body })
      : // The cast is safe: the form requires a name and a key for a new credential.
        await postOnce(path, { path: { id }, body: body as typeof body & { name: string; credential: string } });
    notifySuccess(t('Credential saved'));
    close();
    await reload(id);
    if (body.credential) void test(saved.id);
  };
  const button = <AddButton onClick={() => setOpen({ act: 'add' })}>{t('Add credential')}</AddButton>;
  if (query.error && !query.data)
    return (
      <ErrorState error={query.error} title={t('Credentials could not be loaded')} onRetry={() => query.refetch()} />
    );
  if (!query.data)
    return (
      <Stack aria-busy="true" role="status" aria-label={t('Loading')}>
        <Skeleton height={110} />
        <Skeleton height={110} />
      </Stack>
    );
  const { credentials } = query.data;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t(
          'Requests are distributed by weight. A conversation stays with one credential to benefit from its cache. If a credential is refused or at its limit, the next one is tried.',
        )}
      </Text>
      {credentials.length === 0 ? (
        <EmptyState
          icon={IconKey}
          title={t('No credentials')}
          description={t('Requests to the upstream are sent without a credential.')}
          action={button}
        />
      ) : (
        <>
          <Stack component="ul" gap="sm" p={0} m={0} className="svc-plain-list">
            {credentials.map((credential) => (
              <CredentialCard
                key={credential.id}
                credential={credential}
                tried={tried[credential.id]}
                test={() => void test(credential.id)}
                edit={() => setOpen({ act: 'edit', credential })}
                toggle={() => toggle.mutate(credential)}
                remove={() => setOpen({ act: 'remove', credential })}
              />
            ))}
          </Stack>
          <Group>{button}</Group>
        </>
      )}
      {open && open.act !== 'remove' && (
        <CredentialForm credential={open.act === 'edit' ? open.credential : null} onClose={close} onSubmit={save} />
      )}
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Remove {name}?', { name: open.credential.name }) : t('Remove')}
        confirmLabel={t('Remove credential')}
        onConfirm={async () => {
          if (open?.act === 'remove')
            await del(`${path}/{credential_id}`, { path: { id, credential_id: open.credential.id } });
          notifySuccess(t('Credential removed'));
          await reload(id);
        }}
      >
        {credentials.length === 1
          ? t(
              'The key is deleted here and stays unchanged at the provider. It is the only credential: requests to the upstream will be sent without one.',
            )
          : t('The key is deleted here and stays unchanged at the provider.')}
      </ConfirmDelete>
    </Stack>
  );
}

interface CredentialsProps {
  /** The channel's id from the URL; empty while the dialog is closed. */
  channelId: string;
  name: string | undefined;
  onClose: () => void;
}

/** All credentials of a channel. */
export function Credentials({ channelId, name, onClose }: CredentialsProps) {
  const id = Number(channelId);
  return (
    <DetailDrawer
      opened={id > 0}
      onClose={onClose}
      size="lg"
      title={
        <span className="svc-anywhere">
          {t('Credentials of {name}', { name: name ?? t('channel {id}', { id: channelId }) })}
        </span>
      }
    >
      {id > 0 && <List key={id} id={id} />}
    </DetailDrawer>
  );
}
