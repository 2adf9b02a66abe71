import { Group, Select, TextInput } from '@mantine/core';
import { IconDeviceFloppy, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get, put, type Result } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { usePost } from '../../idempotent-post.ts';
import { rich, t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useCheckedForm } from '../../use-checked-form.ts';

type Preset = Result<'/api/playground/presets', 'get'>['presets'][number];

const presetsQuery = queryOptions({
  queryKey: ['playground-presets'],
  queryFn: async ({ signal }) => (await get('/api/playground/presets', { signal })).presets,
});
const reload = () => queryClient.invalidateQueries(presetsQuery);

/** The service's limit for names. */
const mostCharacters = 120;
const nameFaults = ({ name }: { name: string }) => ({ ...(name.trim() === '' && { name: t('Enter a name.') }) });

interface NameFormProps {
  title: string;
  initial: string;
  onClose: () => void;
  onSubmit: (name: string) => Promise<unknown>;
}

function NameForm({ title, initial, onClose, onSubmit }: NameFormProps) {
  const send = async ({ name }: { name: string }) => {
    await onSubmit(name);
    await reload();
    onClose();
  };
  const { text, sending } = useCheckedForm({ name: initial }, nameFaults, send);
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      {...sending}
      failure={t('The preset was not saved')}
      submitLabel={t('Save')}
    >
      <TextInput
        label={t('Name')}
        placeholder={t('Translator')}
        maxLength={mostCharacters}
        data-autofocus
        {...text('name')}
      />
    </FormDialog>
  );
}

interface PresetFieldProps {
  system: string;
  onChoose: (prompt: string) => void;
}

/** Named system prompts. Select one here, or save the prompt written below as one. */
export function PresetField({ system, onChoose }: PresetFieldProps) {
  const query = useQuery(presetsQuery);
  const presets = query.data ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const [act, setAct] = useState<'add' | 'rename' | 'delete' | null>(null);
  const post = usePost();
  // Also recognizes a preset by its text, after a reload or in another chat that started with it.
  const preset =
    presets.find(({ id }) => id === chosen) ?? presets.find(({ prompt }) => prompt === system && system !== '');
  const update = useAct({
    mutationFn: ({ id }: Preset) => put('/api/playground/presets/{id}', { path: { id }, body: { prompt: system } }),
    onSuccess: async ({ name }) => {
      await reload();
      notifySuccess(t('{name} saved', { name }));
    },
    onError: notifyError,
  });
  const add = async (name: string) => {
    const { id } = await post('/api/playground/presets', { body: { name, prompt: system } });
    setChosen(id);
  };
  const rename = (name: string) => put('/api/playground/presets/{id}', { path: { id: preset!.id }, body: { name } });
  const remove = async () => {
    await del('/api/playground/presets/{id}', { path: { id: preset!.id } });
    setChosen(null);
    await reload();
  };
  const nothing = system.trim() === '';
  const acts = [
    { label: t('Save as preset'), icon: IconPlus, disabled: nothing, onClick: () => setAct('add') },
    {
      label: t('Save changes'),
      icon: IconDeviceFloppy,
      disabled: !preset || nothing || preset.prompt === system,
      onClick: () => preset && update.mutate(preset),
    },
    { label: t('Rename'), icon: IconPencil, disabled: !preset, onClick: () => setAct('rename') },
    { label: t('Delete'), icon: IconTrash, danger: true, disabled: !preset, onClick: () => setAct('delete') },
  ];
  const choose = (value: string | null) => {
    const found = presets.find(({ id }) => String(id) === value);
    setChosen(found?.id ?? null);
    onChoose(found?.prompt ?? '');
  };
  return (
    <Group gap="xs" wrap="nowrap" align="flex-end">
      <Select
        flex={1}
        label={t('Preset')}
        placeholder={presets.length === 0 ? t('No presets yet') : t('None')}
        data={presets.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={preset ? String(preset.id) : null}
        onChange={choose}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('Clear preset') }}
        nothingFoundMessage={t('No matching presets')}
        error={query.error ? t('The presets could not be loaded') : undefined}
      />
      <RowMenu label={preset?.name ?? t('the system prompt')} acts={acts} />
      {act === 'add' && <NameForm title={t('Save as preset')} initial="" onClose={() => setAct(null)} onSubmit={add} />}
      {act === 'rename' && preset && (
        <NameForm title={t('Rename preset')} initial={preset.name} onClose={() => setAct(null)} onSubmit={rename} />
      )}
      {preset && (
        <ConfirmDelete
          opened={act === 'delete'}
          onClose={() => setAct(null)}
          title={t('Delete this preset?')}
          onConfirm={remove}
        >
          {rich('<b>{name}</b> will be permanently deleted. Chats that use it keep their system prompt.', {
            name: preset.name,
            b: (name) => <b className="svc-anywhere">{name}</b>,
          })}
        </ConfirmDelete>
      )}
    </Group>
  );
}
