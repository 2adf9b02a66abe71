import { Alert, Anchor, Button, Group, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { del } from '../api.ts';
import { type Preset, presetsQuery, reloadCatalog } from '../catalog.ts';
import { usePost } from '../once.ts';
import { useAct } from '../use-act.ts';
import { type Added, addByPreset, guessPreset, tryOut } from './add-by-preset.ts';
import { ErrorState } from './error-state.tsx';
import { ButtonLink } from './link.tsx';
import { notifyError } from './notify.ts';

const seconds = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

function Works({ added: { channel, test, models } }: { added: Added }) {
  return (
    <Alert
      color="teal"
      variant="light"
      icon={<IconCircleCheck aria-hidden />}
      title={`${channel.name} works`}
      role="status"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          It answered in {seconds(test.latency_ms)}. {models} {models === 1 ? 'model is' : 'models are'} ready to call.
        </Text>
        <Group gap="xs">
          <ButtonLink to="/playground" size="xs">
            Try them in the playground
          </ButtonLink>
          <ButtonLink to="/admin/models" search={{ channel: String(channel.id) }} size="xs" variant="default">
            See models and prices
          </ButtonLink>
        </Group>
      </Stack>
    </Alert>
  );
}

interface FailsProps {
  added: Added;
  onTried: (added: Added) => void;
  onRemoved: () => void;
}

function Fails({ added: { channel, test }, onTried, onRemoved }: FailsProps) {
  const again = useAct({ mutationFn: () => tryOut(channel), onSuccess: onTried, onError: notifyError });
  const remove = useAct({
    mutationFn: () => del('/api/admin/channels/{id}', { path: { id: channel.id } }),
    onSuccess: onRemoved,
    onError: notifyError,
    onSettled: reloadCatalog,
  });
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${channel.name} was added, but its test failed`}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{test.error ?? 'The provider did not answer as expected.'}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
            Test again
          </Button>
          <Button size="xs" variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** One field for a key: whose it is shows from how it begins, or is chosen. */
export function AddProvider() {
  const presets = useQuery(presetsQuery);
  const [secret, setSecret] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [added, setAdded] = useState<Added | null>(null);
  const preset = presets.data?.find(({ id }) => id === (chosen ?? guessPreset(presets.data, secret)));
  const post = usePost();
  const add = useAct({
    mutationFn: (chosen: Preset) => addByPreset(post, chosen, secret.trim()),
    onSuccess: (result) => {
      setAdded(result);
      if (result.test.ok) setSecret('');
    },
  });
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
              label="Provider key"
              placeholder="Paste a key: sk-…, AIza…, gsk_…"
              autoComplete="off"
              flex="2 1 16rem"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
          ) : (
            <TextInput
              label="Address"
              placeholder={preset?.base_url}
              flex="2 1 16rem"
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
          )}
          <Select
            label="Provider"
            placeholder={presets.isPending ? 'Loading…' : 'Choose'}
            data={presets.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            searchable
            flex="1 1 11rem"
            value={preset?.id ?? null}
            onChange={setChosen}
          />
          <Button type="submit" loading={add.isPending} disabled={!preset || (needsKey && secret.trim() === '')}>
            Add and test
          </Button>
        </Group>
      </form>
      {preset?.key_url && (
        <Text size="xs" c="dimmed">
          Get a key at{' '}
          <Anchor href={preset.key_url} target="_blank" rel="noopener noreferrer" size="xs" underline="always">
            {new URL(preset.key_url).host}
          </Anchor>
          . It is stored encrypted and never shown again.
        </Text>
      )}
      {presets.error && <ErrorState error={presets.error} title="The providers could not be loaded" />}
      {add.error && <ErrorState error={add.error} title="The provider was not added" />}
      {added?.test.ok && <Works added={added} />}
      {added && !added.test.ok && <Fails added={added} onTried={setAdded} onRemoved={() => setAdded(null)} />}
    </Stack>
  );
}
