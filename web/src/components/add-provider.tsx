import { Anchor, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { type Channel, type Preset, presetsQuery } from '../catalog.ts';
import { usePost } from '../idempotent-post.ts';
import { rich, t } from '../language/words.ts';
import { lazyComponent } from '../lazy-components.tsx';
import { whenIdle } from '../load-page-group.ts';
import { useAct } from '../use-act.ts';
import { type Added, guessPreset, saveByPreset, tryOut } from './add-by-preset.ts';
import { ErrorState } from './error-state.tsx';
import { PasswordInput } from './password-input.tsx';

const AddedProvider = lazyComponent('AddedProvider');

/** One field for a key. The provider is guessed from the key's prefix, or chosen. */
export function AddProvider() {
  // Loaded when the page is idle, but before the user opens the native select: an open one does not show new options.
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    whenIdle(() => setWanted(true));
  }, []);
  const presets = useQuery({ ...presetsQuery, enabled: wanted });
  const [secret, setSecret] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [added, setAdded] = useState<Added | null>(null);
  // Created but not working yet: another key for the same provider updates this channel instead of adding a second.
  const [made, setMade] = useState<{ preset: string; channel: Channel } | null>(null);
  const preset = presets.data?.find(({ id }) => id === (chosen ?? guessPreset(presets.data, secret)));
  const post = usePost();
  const add = useAct({
    mutationFn: async (chosen: Preset) => {
      const before = made?.preset === chosen.id ? made.channel : undefined;
      const channel = await saveByPreset(post, chosen, secret.trim(), before);
      setMade({ preset: chosen.id, channel });
      return tryOut(channel);
    },
    onSuccess: (result) => told(result),
  });
  const told = (result: Added) => {
    setAdded(result);
    if (!result.test.ok) return;
    setSecret('');
    setMade(null);
  };
  const removed = () => {
    setAdded(null);
    setMade(null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAdded(null);
    if (preset) add.mutate(preset);
  };
  const needsKey = preset?.needs_key ?? true;
  return (
    <Stack>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          {needsKey ? (
            <PasswordInput
              label={t('Provider key')}
              placeholder={t('Paste a key: sk-…, AIza…, gsk_…')}
              autoComplete="off"
              flex="2 1 16rem"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
          ) : (
            <TextInput
              label={t('Address')}
              placeholder={preset?.base_url}
              flex="2 1 16rem"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
          )}
          <NativeSelect
            label={t('Provider')}
            data={[
              { value: '', label: presets.isLoading ? t('Loading…') : t('Choose'), disabled: true },
              ...(presets.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []),
            ]}
            flex="1 1 11rem"
            value={preset?.id ?? ''}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          <Button type="submit" loading={add.isPending} disabled={!preset || (needsKey && secret.trim() === '')}>
            {t('Add and test')}
          </Button>
        </Group>
      </form>
      {preset?.key_url && (
        <Text size="xs" c="dimmed">
          {rich('Get a key at <link>{host}</link>. It is stored encrypted and never shown again.', {
            host: new URL(preset.key_url).host,
            link: (host) => (
              <Anchor href={preset.key_url} target="_blank" rel="noopener noreferrer" size="xs" underline="always">
                {host}
              </Anchor>
            ),
          })}
        </Text>
      )}
      {presets.error && !presets.data && (
        <ErrorState
          error={presets.error}
          title={t('The providers could not be loaded')}
          onRetry={() => presets.refetch()}
        />
      )}
      {add.error && <ErrorState error={add.error} title={t('The provider was not added')} />}
      {added && <AddedProvider added={added} onTried={told} onRemoved={removed} />}
    </Stack>
  );
}
