import { Checkbox, Select, Stack, Text } from '@mantine/core';
import { del, put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { givable, type Member, type Organisation, reloadOrganisations, type Team } from '../../organisations.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { roleWords } from './organisation-words.ts';

interface MemberFormProps {
  organisation: Organisation;
  member: Member;
  teams: Team[];
  lastOwner: boolean;
  onClose: () => void;
}

const noFaults = (): Record<string, never> => ({});

/** Mounted only while the dialog is open. */
export function MemberForm({ organisation, member, teams, lastOwner, onClose }: MemberFormProps) {
  const path = { id: organisation.id, user_id: member.user_id };
  const send = async (fields: { role: string; teams: string[] }) => {
    const role = givable('owner').find((one) => one === fields.role) ?? member.role;
    if (role !== member.role) await put('/api/organisations/{id}/members/{user_id}', { path, body: { role } });
    for (const { id: team_id } of teams) {
      const [before, after] = [member.teams.includes(team_id), fields.teams.includes(String(team_id))];
      const place = { path: { ...path, team_id } };
      if (after && !before) await put('/api/organisations/{id}/teams/{team_id}/members/{user_id}', place);
      if (before && !after) await del('/api/organisations/{id}/teams/{team_id}/members/{user_id}', place);
    }
    notifySuccess(t('{username} updated', { username: member.username }));
    onClose();
    await reloadOrganisations(organisation.id);
  };
  const initial = { role: member.role as string, teams: member.teams.map(String) };
  const { fields, set, save, submit } = useCheckedForm(initial, noFaults, send);
  const fixed = lastOwner || (member.role === 'owner' && organisation.role !== 'owner');
  const leaves = member.teams.some((id) => !fields.teams.includes(String(id)));
  return (
    <FormDialog
      onClose={onClose}
      title={t('Role and teams of {username}', { username: member.username })}
      onSubmit={submit}
      act={save}
      failure={t('Some changes were not saved')}
      submitLabel={t('Save')}
    >
      <Select
        label={t('Role')}
        description={
          lastOwner
            ? t('An organisation needs an owner. Make someone else an owner first.')
            : roleWords[givable('owner').find((one) => one === fields.role) ?? member.role].may
        }
        data={(fixed ? [member.role] : givable(organisation.role)).map((value) => ({
          value,
          label: roleWords[value].label,
        }))}
        allowDeselect={false}
        disabled={fixed}
        data-autofocus={!fixed || undefined}
        value={fields.role}
        onChange={(role) => set({ role: role ?? member.role })}
      />
      {teams.length > 0 && (
        <Checkbox.Group label={t('Teams')} value={fields.teams} onChange={(chosen) => set({ teams: chosen })}>
          <Stack gap="xs" mt={6}>
            {teams.map(({ id, name }) => (
              <Checkbox key={id} value={String(id)} label={<bdi className="svc-anywhere">{name}</bdi>} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      {leaves && (
        <Text size="sm" c="dimmed">
          {t('When members leave a team, their own keys in it stop working immediately.')}
        </Text>
      )}
    </FormDialog>
  );
}
