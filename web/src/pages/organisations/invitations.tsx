import { Badge, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { LongName } from '../../components/long-name.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { SecretOnce } from '../../components/secret-once.tsx';
import { Section } from '../../components/section.tsx';
import { formatDateTime } from '../../format.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { givable, type Organisation, reloadOrganisations, type Team } from '../../organisations.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { type Invitation, invitationsQuery } from './organisation-queries.ts';
import { roleWords } from './organisation-words.ts';

interface Props {
  organisation: Organisation;
  teams: Team[];
}

const initial = { role: 'member', email: '', team: '' };
const faultsOf = ({ email }: typeof initial): { email?: string } =>
  email.trim() === '' || email.trim().includes('@') ? {} : { email: t('Enter a valid email address.') };

interface InviteProps extends Props {
  onClose: () => void;
  /** Called with the link to pass on, or with null if it was sent by mail. */
  onDone: (url: string | null) => void;
}

/** Mounted only while the dialog is open. */
function Invite({ organisation: { id, role }, teams, onClose, onDone }: InviteProps) {
  const post = usePost();
  const send = async (fields: typeof initial) => {
    const email = fields.email.trim();
    const body = {
      role: givable(role).find((one) => one === fields.role) ?? 'member',
      ...(email !== '' && { email }),
      ...(fields.team !== '' && { team_id: Number(fields.team) }),
    };
    const { url } = await post('/api/organisations/{id}/invitations', { path: { id }, body });
    if (url === null) notifySuccess(t('The invitation was sent to {email}', { email }));
    onDone(url);
    await reloadOrganisations(id);
  };
  const { fields, set, text, sending } = useCheckedForm(initial, faultsOf, send);
  return (
    <FormDialog
      onClose={onClose}
      title={t('Invite member')}
      {...sending}
      failure={t('The invitation was not sent')}
      submitLabel={t('Invite')}
    >
      <Text size="sm">
        {t('The link can be used once within 7 days. The person who opens it logs in or creates an account to join.')}
      </Text>
      <TextInput
        type="email"
        label={t('Email')}
        description={t(
          'The link is sent to this address if this service can send email; without an address it is shown to you once',
        )}
        autoComplete="off"
        data-autofocus
        {...text('email')}
      />
      <Select
        label={t('Role')}
        description={roleWords[givable('owner').find((one) => one === fields.role) ?? 'member'].may}
        data={givable(role).map((value) => ({ value, label: roleWords[value].label }))}
        allowDeselect={false}
        value={fields.role}
        onChange={(chosen) => set({ role: chosen ?? 'member' })}
      />
      {teams.length > 0 && (
        <Select
          label={t('Team')}
          placeholder={t('None')}
          clearable
          clearButtonProps={{ 'aria-label': t('No team') }}
          data={teams.map((team) => ({ value: String(team.id), label: team.name }))}
          value={fields.team || null}
          onChange={(team) => set({ team: team ?? '' })}
        />
      )}
    </FormDialog>
  );
}

const columns = (teams: Team[], revoke: (invitation: Invitation) => void): Column<Invitation>[] => [
  {
    key: 'to',
    header: t('Recipient'),
    fluid: true,
    cell: ({ email }) =>
      email === '' ? (
        t('Anyone with the link')
      ) : (
        <bdi title={email}>
          <LongName text={email} />
        </bdi>
      ),
  },
  {
    key: 'role',
    header: t('Role'),
    cell: ({ role }) => <Badge color={roleWords[role].color}>{roleWords[role].label}</Badge>,
  },
  {
    key: 'team',
    header: t('Team'),
    fluid: true,
    cell: ({ team_id }) => {
      if (team_id === null) return '–';
      const name = teams.find(({ id }) => id === team_id)?.name ?? t('Deleted');
      return <bdi title={name}>{name}</bdi>;
    },
  },
  { key: 'until', header: t('Valid until'), cell: ({ expires_at }) => formatDateTime(expires_at) },
  menuColumn(
    (invitation) => invitation.email || t('invitation {id}', { id: invitation.id }),
    (invitation) => [
      { label: t('Revoke invitation'), icon: IconTrash, danger: true, onClick: () => revoke(invitation) },
    ],
  ),
];

export function Invitations({ organisation, teams }: Props) {
  const { id } = organisation;
  const query = useQuery(invitationsQuery(id));
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const [revoked, setRevoked] = useState<Invitation | null>(null);
  const button = (
    <Group>
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
        {t('Invite')}
      </Button>
    </Group>
  );
  return (
    <>
      {query.data?.length || query.error ? (
        <Section title={t('Invitations')} description={t('Invitations not accepted yet.')} actions={button}>
          <DataTable
            label={t('Pending invitations')}
            columns={columns(teams, setRevoked)}
            rows={query.data}
            rowKey={(invitation) => invitation.id}
            query={query}
            minWidth={560}
            empty={null}
          />
        </Section>
      ) : (
        button
      )}
      {inviting && (
        <Invite
          organisation={organisation}
          teams={teams}
          onClose={() => setInviting(false)}
          onDone={(url) => {
            setInviting(false);
            setLink(url);
          }}
        />
      )}
      <SecretOnce secret={link} title={t('Share this link')} label={t('Invitation')} onClose={() => setLink(null)} />
      <ConfirmDelete
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title={t('Revoke this invitation?')}
        confirmLabel={t('Revoke invitation')}
        onConfirm={async () => {
          if (revoked)
            await del('/api/organisations/{id}/invitations/{invitation_id}', {
              path: { id, invitation_id: revoked.id },
            });
          notifySuccess(t('The invitation was revoked'));
          await reloadOrganisations(id);
        }}
      >
        {t('Its link stops working immediately.')}
      </ConfirmDelete>
    </>
  );
}
