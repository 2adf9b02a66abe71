import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconInfoCircle, IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { switchedOff, switchedOn } from '../../catalog.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { notifyToggled } from '../../components/enabled-state.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { modelsQuery } from '../../models.ts';
import { isAdmin, queryClient, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useConnectionTests } from '../../use-connection-tests.ts';
import { ownKeyColumns } from './own-key-columns.tsx';
import { OwnKeyForm } from './own-key-form.tsx';
import { feeText, type NewOwnKey, type OwnKey, type OwnKeysOwner, ownKeysOf } from './own-keys-api.ts';

type Open = { act: 'add' } | { act: 'edit' | 'remove'; key: OwnKey };

/** The models whose requests use a key for this provider. */
function Models({ names }: { names: string[] | undefined }) {
  return (
    <Text size="sm" className="svc-anywhere">
      {names === undefined && t('Loading…')}
      {names?.length === 0 && t('The provider serves no models that you can use.')}
      {names && names.length > 0 && names.join(', ')}
    </Text>
  );
}

/** Keys can only be added for providers that already serve users here: address and models come from their channels. */
function Nobody() {
  const admin = isAdmin(useUser());
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<IconInfoCircle aria-hidden />}
      title={t('No providers to add a key for')}
    >
      <Stack gap="xs" align="flex-start">
        {admin
          ? t(
              'A provider is available once one of its channels serves a model. Add a channel first, then add your key here.',
            )
          : t('No provider serves models to you. Ask your administrator to connect the provider you have a key for.')}
        {admin && (
          <ButtonLink to="/admin/channels" size="xs" variant="default">
            {t('Open channels')}
          </ButtonLink>
        )}
      </Stack>
    </Alert>
  );
}

/** Provider keys of a user or a team; the complete section, for any page. */
export function OwnKeysSection({ owner }: { owner: OwnKeysOwner }) {
  const api = ownKeysOf(owner);
  const query = useQuery(api.query);
  const models = useQuery(modelsQuery).data;
  const served = (provider: string) =>
    models?.filter(({ providers }) => providers.includes(provider)).map(({ id }) => id);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const post = usePost();
  const { tried, test } = useConnectionTests(api.test);
  const reload = () => queryClient.invalidateQueries(api.query);
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: OwnKey) =>
        api.change(id, { status: status === switchedOn ? switchedOff : switchedOn }),
      onSuccess: ({ name, status }) => notifyToggled(name, status === switchedOn),
      onError: notifyError,
      onSettled: reload,
    },
    ({ id }) => id,
  );
  const save = async ({ provider, name, credential, fallback }: NewOwnKey) => {
    const fields = { name: name.trim(), fallback, ...(credential.trim() && { credential: credential.trim() }) };
    const saved =
      open?.act === 'edit'
        ? await api.change(open.key.id, fields)
        : await api.add(post, { ...fields, provider, credential: credential.trim() });
    notifySuccess(t('Key saved'));
    close();
    await reload();
    if (fields.credential) void test(saved.id);
  };
  const { keys, fee = null, providers = [] } = query.data ?? {};
  const off = query.data !== undefined && fee === null;
  const nobody = query.data !== undefined && !off && providers.length === 0;
  const button = !off && !nobody && (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      disabled={!query.data}
      onClick={() => setOpen({ act: 'add' })}
    >
      {t('Add key')}
    </Button>
  );
  return (
    <Section
      title={t('Provider keys')}
      description={
        owner.type === 'team'
          ? t('The team’s own keys at providers. The team’s requests use them first.')
          : t('Your own keys at providers. Your requests use them first.')
      }
      actions={button}
    >
      <Stack>
        {query.data && (
          <Alert variant="light" color={off ? 'gray' : 'indigo'} icon={<IconInfoCircle aria-hidden />}>
            {feeText(fee) ??
              t('Own keys are turned off on this service. An administrator can turn them on with the option OwnKeys.')}
          </Alert>
        )}
        {nobody && <Nobody />}
        <DataTable
          label={t('Provider keys')}
          columns={ownKeyColumns({
            ...{ tried, served },
            test: ({ id }) => void test(id),
            edit: (key) => setOpen({ act: 'edit', key }),
            toggle: (key) => toggle.mutate(key),
            remove: (key) => setOpen({ act: 'remove', key }),
          })}
          rows={keys}
          rowKey={({ id }) => id}
          query={query}
          minWidth={820}
          detail={{
            label: ({ name }) => t('Models of {name}', { name }),
            show: ({ provider }) => <Models names={served(provider)} />,
          }}
          empty={{
            icon: IconKey,
            title: t('No provider keys'),
            description:
              off || nobody
                ? t('No keys can be added at the moment.')
                : t('Add a key, and the provider bills you directly for these requests.'),
            action: button && <Group>{button}</Group>,
          }}
        />
      </Stack>
      {open && open.act !== 'remove' && (
        <OwnKeyForm
          ownKey={open.act === 'edit' ? open.key : null}
          providers={providers}
          onClose={close}
          onSubmit={save}
        />
      )}
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Remove {name}?', { name: open.key.name }) : t('Remove')}
        confirmLabel={t('Remove key')}
        onConfirm={async () => {
          if (open?.act === 'remove') await api.remove(open.key.id);
          notifySuccess(t('Key removed'));
          await reload();
        }}
      >
        {t(
          'The key is deleted only here, not at the provider. Requests then use this service’s keys again, at their price.',
        )}
      </ConfirmDelete>
    </Section>
  );
}
