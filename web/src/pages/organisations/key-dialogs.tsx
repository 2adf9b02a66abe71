import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { put } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { useOwnerChoice } from '../../components/owner-choice.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { type Organisation, type OrganisationKey, reloadOrganisations } from '../../organisations.ts';
import { ownerBody } from '../../owner.ts';
import { keysQuery, queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { bodyOf, changesOf, emptyKey, fieldsOf, type KeyFields } from '../keys/key-fields.ts';
import { KeyForm } from '../keys/key-form.tsx';
import { RotateKey } from '../keys/rotate-key.tsx';
import type { LevelNames } from './levels.ts';

interface Props {
  organisation: Organisation;
  onClose: () => void;
}

/** The user's own keys in an organisation also appear in the list of all their keys, so invalidate both. */
const reload = (id: number) => Promise.all([reloadOrganisations(id), queryClient.invalidateQueries(keysQuery)]);

/** Mounted only while the dialog is open, like the dialogs below. */
export function NewOrganisationKey({ organisation, onClose, onDone }: Props & { onDone: (secret: string) => void }) {
  const post = usePost();
  const { id } = organisation;
  const { who, field } = useOwnerChoice({ among: 'key', within: organisation });
  const create = async (fields: KeyFields, nowSeconds: number) => {
    const body = { ...bodyOf(fields, nowSeconds), ...ownerBody(who) };
    const made = await post('/api/organisations/{id}/keys', { path: { id }, body });
    onClose();
    onDone(made.key);
    await reload(id);
  };
  return <KeyForm initial={emptyKey} owner={field} onClose={onClose} onSubmit={create} />;
}

export function EditOrganisationKey({ organisation: { id }, apiKey, onClose }: Props & { apiKey: OrganisationKey }) {
  const [before] = useState(() => fieldsOf(apiKey));
  const save = async (fields: KeyFields, nowSeconds: number) => {
    const body = changesOf(before, fields, nowSeconds);
    const path = { id, key_id: apiKey.id };
    if (Object.keys(body).length > 0) await put('/api/organisations/{id}/keys/{key_id}', { path, body });
    notifySuccess(t('Key saved'));
    onClose();
    await reload(id);
  };
  return <KeyForm edited={apiKey.name} initial={before} onClose={onClose} onSubmit={save} />;
}

export function RotateOrganisationKey({
  organisation: { id },
  apiKey,
  onClose,
  onDone,
}: Props & { apiKey: OrganisationKey; onDone: (secret: string) => void }) {
  const post = usePost();
  const rotate = async (overlap_seconds: number) => {
    const path = { id, key_id: apiKey.id };
    const { key } = await post('/api/organisations/{id}/keys/{key_id}/rotate', { path, body: { overlap_seconds } });
    onClose();
    onDone(key);
    await reload(id);
  };
  return <RotateKey apiKey={apiKey} onClose={onClose} onSubmit={rotate} />;
}

const noTeam = 'none';

/** Moves a key to another team; keys of members can also be moved out of all teams. */
export function MoveKey({
  organisation: { id },
  apiKey,
  known,
  onClose,
}: Props & { apiKey: OrganisationKey; known: LevelNames }) {
  const [team, setTeam] = useState(apiKey.team_id === null ? noTeam : String(apiKey.team_id));
  const move = useAct({
    mutationFn: async () => {
      const path = { id, key_id: apiKey.id };
      await put('/api/organisations/{id}/keys/{key_id}', {
        path,
        body: { team_id: team === noTeam ? null : Number(team) },
      });
      notifySuccess(t('Key moved'));
      onClose();
      await reload(id);
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('Move {name}', { name: apiKey.name })}
      onSubmit={(event) => {
        event.preventDefault();
        move.mutate();
      }}
      act={move}
      failure={t('The key was not moved')}
      submitLabel={t('Move')}
    >
      <Select
        label={t('Team')}
        data={[
          ...(apiKey.owner.type === 'user' ? [{ value: noTeam, label: t('No team') }] : []),
          ...known.teams.map(({ id: teamId, name }) => ({ value: String(teamId), label: name })),
        ]}
        allowDeselect={false}
        data-autofocus
        value={team}
        onChange={(value) => setTeam(value ?? noTeam)}
      />
      <Text size="sm" c="dimmed">
        {t(
          'Its past usage moves with it in lists. Amounts already charged to budgets stay there, and running requests are charged where they started.',
        )}
      </Text>
    </FormDialog>
  );
}
