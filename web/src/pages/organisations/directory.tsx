import { Group, Stack, Text, TextInput } from '@mantine/core';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { type Organisation, reloadOrganisations } from '../../organisations.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { directoryQuery, type ScimToken } from './organisation-queries.ts';

const initial = { name: '' };
const faultsOf = ({ name }: typeof initial): { name?: string } =>
  name.trim() === '' ? { name: t('Give the token a name.') } : {};

interface NewTokenProps {
  id: number;
  onClose: () => void;
  onDone: (token: string) => void;
}

/** Mounted only while the dialog is open. */
function NewToken({ id, onClose, onDone }: NewTokenProps) {
  const post = usePost();
  const { text, sending } = useCheckedForm(initial, faultsOf, async ({ name }) => {
    const { token } = await post('/api/organisations/{id}/scim/tokens', { path: { id }, body: { name: name.trim() } });
    onDone(token);
    await reloadOrganisations(id);
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('New token')}
      {...sending}
      failure={t('The token was not created')}
      submitLabel={t('Create token')}
    >
      <TextInput
        label={t('Name')}
        description={t('Name of your directory, such as Okta or Entra ID')}
        maxLength={64}
        required
        data-autofocus
        {...text('name')}
      />
    </FormDialog>
  );
}

const columns = (remove: (token: ScimToken) => void): Column<ScimToken>[] => [
  { key: 'name', header: t('Name'), fluid: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
  { key: 'by', header: t('Created by'), fluid: true, cell: ({ made_by }) => <bdi>{made_by.username || '–'}</bdi> },
  { key: 'made', header: t('Created'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    key: 'used',
    header: t('Last used'),
    cell: ({ last_used_at }) => (last_used_at === null ? t('Never') : <TimeAgo at={last_used_at} />),
  },
  menuColumn(
    ({ name }) => name,
    (token) => [{ label: t('Remove'), icon: IconTrash, danger: true, onClick: () => remove(token) }],
  ),
];

/** Provisioning by a company's directory (SCIM), which adds and removes members. */
export function Directory({ organisation: { id } }: { organisation: Organisation }) {
  const query = useQuery(directoryQuery(id));
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [removed, setRemoved] = useState<ScimToken | null>(null);
  return (
    <Section
      title={t('Directory (SCIM)')}
      description={t(
        'Manage members and teams from Okta, Entra ID or another directory. People in the directory join on their Organisations page with a verified email address; people it deactivates are removed immediately.',
      )}
      actions={
        <Group>
          <AddButton onClick={() => setMaking(true)}>{t('New token')}</AddButton>
        </Group>
      }
    >
      <Stack>
        {query.data && (
          <>
            <CopyField
              label={t('Address')}
              description={t('Enter it as the base URL or tenant URL in your directory’s application')}
              value={query.data.url}
            />
            {query.data.people > 0 && (
              <Text size="sm">
                {t(
                  '{people, plural, one {The directory lists # person} other {The directory lists # people}}; {joined} joined.',
                  { people: query.data.people, joined: query.data.joined },
                )}
              </Text>
            )}
          </>
        )}
        <DataTable
          label={t('Directory tokens')}
          columns={columns(setRemoved)}
          rows={query.data?.tokens}
          rowKey={(token) => token.id}
          query={query}
          minWidth={480}
          empty={{ icon: IconKey, title: t('No directory is connected') }}
        />
      </Stack>
      {making && (
        <NewToken
          id={id}
          onClose={() => setMaking(false)}
          onDone={(token) => {
            setMaking(false);
            setSecret(token);
          }}
        />
      )}
      <SecretOnce
        secret={secret}
        title={t('Your new token')}
        label={t('Directory token')}
        onClose={() => setSecret(null)}
      />
      <ConfirmDelete
        opened={removed !== null}
        onClose={() => setRemoved(null)}
        title={t('Remove {name}?', { name: removed?.name ?? '' })}
        confirmLabel={t('Remove')}
        onConfirm={async () => {
          if (removed)
            await del('/api/organisations/{id}/scim/tokens/{scim_token_id}', {
              path: { id, scim_token_id: removed.id },
            });
          notifySuccess(t('Token removed'));
          await reloadOrganisations(id);
        }}
      >
        {t('Requests that use it are rejected immediately. Members are not affected.')}
      </ConfirmDelete>
    </Section>
  );
}
