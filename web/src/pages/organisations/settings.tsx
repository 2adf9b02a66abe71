import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Section } from '../../components/section.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { type Organisation, reloadOrganisations } from '../../organisations.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { Directory } from './directory.tsx';
import { type CommonFields, OrganisationFields } from './organisation-fields.tsx';

interface Props {
  organisation: Organisation;
}

interface Fields extends CommonFields {
  webhook_url: string;
}

function faultsOf({ name, webhook_url }: Fields): { name?: string; webhook_url?: string } {
  const address = webhook_url.trim();
  return {
    ...(name.trim() === '' && { name: t('Give the organisation a name.') }),
    ...(address !== '' && !/^https?:\/\/\S+$/.test(address) && { webhook_url: t('Must be an http or https address.') }),
  };
}

/** Sends only changed fields: the service applies extra checks to a change of who pays. */
function changesOf(before: Fields, after: Fields) {
  const changed = (name: keyof Fields) => after[name].trim() !== before[name].trim();
  return {
    ...(changed('name') && { name: after.name.trim() }),
    ...(changed('time_zone') && { time_zone: after.time_zone }),
    ...(changed('balance') && { balance: after.balance === 'shared' ? ('shared' as const) : ('own' as const) }),
    ...(changed('webhook_url') && { webhook_url: after.webhook_url.trim() }),
  };
}

function General({ organisation }: Props) {
  const { id, name, time_zone, balance, webhook_url, account_id } = organisation;
  // The values when the form was opened or last saved, so that concurrent changes by others are not overwritten.
  const [before, setBefore] = useState<Fields>({ name, time_zone, balance, webhook_url: webhook_url ?? '' });
  const { fields, faults, set, save, submit, text } = useCheckedForm(before, faultsOf, async (after) => {
    await put('/api/organisations/{id}', { path: { id }, body: changesOf(before, after) });
    setBefore(after);
    notifySuccess(t('Organisation saved'));
    await reloadOrganisations(id);
  });
  return (
    <Section title={t('Settings')}>
      <form onSubmit={submit} noValidate>
        <Stack maw={560}>
          <OrganisationFields
            of={fields}
            nameFault={faults.name}
            zoneNote={t('A change adjusts the current budget periods but does not reset budgets')}
            set={set}
          />
          <TextInput
            type="url"
            label={t('Webhook')}
            description={t('Receives budget warnings; leave empty for none')}
            placeholder="https://example.org/budgets"
            {...text('webhook_url')}
          />
          <CopyField
            label={t('Account')}
            description={t('User that represents the organisation; administrators of this service give credits to it')}
            value={String(account_id)}
          />
          {save.error && <ErrorState error={save.error} title={t('The organisation was not saved')} />}
          <Group>
            <Button type="submit" loading={save.isPending}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function WebhookSecret({ organisation: { id } }: Props) {
  const post = usePost();
  const [confirming, setConfirming] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title={t('Webhook secret')}
      description={t('Signs the warnings. A new secret invalidates the previous one.')}
    >
      <Group>
        <Button variant="default" onClick={() => setConfirming(true)}>
          {t('Rotate secret')}
        </Button>
      </Group>
      <ConfirmDelete
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('Rotate the webhook secret?')}
        confirmLabel={t('Rotate secret')}
        onConfirm={async () => {
          const { webhook_secret } = await post('/api/organisations/{id}/webhook-secret', { path: { id } });
          setSecret(webhook_secret);
        }}
      >
        {t(
          'Calls are signed with the new secret from now on. Receivers that still verify with the old one will reject them.',
        )}
      </ConfirmDelete>
      <SecretOnce
        secret={secret}
        title={t('Your new secret')}
        label={t('Webhook secret')}
        onClose={() => setSecret(null)}
      />
    </Section>
  );
}

function Danger({ organisation: { id, name } }: Props) {
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState(false);
  return (
    <Section title={t('Delete')} description={t('All its keys and applications stop working immediately.')} danger>
      <Group>
        <Button variant="light" color="red" onClick={() => setConfirming(true)}>
          {t('Delete organisation')}
        </Button>
      </Group>
      <ConfirmDelete
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('Delete {name}?', { name })}
        typeToConfirm={name}
        confirmLabel={t('Delete organisation')}
        onConfirm={async () => {
          await del('/api/organisations/{id}', { path: { id } });
          notifySuccess(t('{name} is deleted', { name }));
          await navigate({ to: '/organisations' });
          await reloadOrganisations();
        }}
      >
        {t(
          'Keys of members and teams, budgets, limits and invitations end with it. Any remaining balance stays in the organisation’s account and is handled by the administrators of this service. This cannot be undone.',
        )}
      </ConfirmDelete>
    </Section>
  );
}

export function Settings({ organisation }: Props) {
  return (
    <Stack gap="lg">
      <General organisation={organisation} />
      <WebhookSecret organisation={organisation} />
      <Directory organisation={organisation} />
      <Danger organisation={organisation} />
    </Stack>
  );
}
