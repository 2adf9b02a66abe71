import { TagsInput, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { reloadSessions } from './sessions-queries.ts';

/** Same rule as on the server, checked while the user types. */
const idPattern = /^[A-Za-z0-9_.:-]{1,128}$/;

export function NewSession({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [tags, setTags] = useState<string[]>([]);
  const fault = id !== '' && !idPattern.test(id) ? t('Use letters, digits and _ . : - only.') : undefined;
  const post = usePost();
  const create = useAct({
    mutationFn: () => post('/api/svc-ms/sessions', { body: { ...(id && { session_id: id }), tags } }),
    onSuccess: async ({ session_id }) => {
      await navigate({ to: '/sessions/$id', params: { id: session_id } });
      await reloadSessions();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!fault) create.mutate();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('New session')}
      onSubmit={submit}
      noValidate
      act={create}
      failure={t('The session was not created')}
      submitLabel={t('Create session')}
    >
      <TextInput
        label={t('Session id')}
        description={t('Leave empty to generate one; an existing id opens that session')}
        placeholder="ms-…"
        maxLength={128}
        autoComplete="off"
        data-autofocus
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
        error={fault}
      />
      <TagsInput
        label={t('Tags')}
        description={t('Helps you find the session later; press Enter after each tag')}
        maxTags={20}
        value={tags}
        onChange={setTags}
      />
    </FormDialog>
  );
}
