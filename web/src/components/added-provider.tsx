import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { del } from '../api.ts';
import { reloadCatalog } from '../catalog.ts';
import { formatMs } from '../format.ts';
import { serverText } from '../language/server-texts.ts';
import { t } from '../language/words.ts';
import { useAct } from '../use-act.ts';
import { type Added, tryOut } from './add-by-preset.ts';
import { ChooseModels } from './choose-models.tsx';
import { ButtonLink } from './link.tsx';
import { notifyError } from './notify.ts';

function outcome(time: string, ready: number, unpriced: number): string {
  if (unpriced === 0)
    return t(
      'It responded in {time}. {ready, plural, one {# model is ready to call.} other {# models are ready to call.}}',
      { time, ready },
    );
  if (ready === 0)
    return t(
      'It responded in {time}. {unpriced, plural, one {# model without a price was found; it stays off until it has a price.} other {# models without a price were found; they stay off until they have a price.}}',
      { time, unpriced },
    );
  return t(
    'It responded in {time}. {ready, plural, one {# model is ready to call.} other {# models are ready to call.}} {unpriced, plural, one {# model without a price was found; it stays off until it has a price.} other {# models without a price were found; they stay off until they have a price.}}',
    { time, ready, unpriced },
  );
}

function Works({ added, onTried }: Pick<AddedProviderProps, 'added' | 'onTried'>) {
  const { channel, test, models, unpriced, first } = added;
  const ready = models - unpriced;
  const [choosing, setChoosing] = useState(unpriced > 0);
  return (
    <Stack>
      <Alert
        color="teal"
        variant="light"
        icon={<IconCircleCheck aria-hidden />}
        title={t('{name} works', { name: channel.name })}
        role="status"
      >
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{outcome(formatMs(test.latency_ms), ready, unpriced)}</Text>
          <Group gap="xs">
            {ready > 0 && (
              <ButtonLink to="/playground" search={first ? { model: first } : {}} size="xs">
                {t('Try them in the playground')}
              </ButtonLink>
            )}
            {!choosing && models > 0 && (
              <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
                {t('Choose models and prices')}
              </Button>
            )}
          </Group>
        </Stack>
      </Alert>
      {choosing && (
        <ChooseModels
          channel={channel}
          onChosen={(chosen) => {
            setChoosing(false);
            onTried({ ...added, models: chosen.on + chosen.unpriced, unpriced: chosen.unpriced, first: chosen.first });
          }}
        />
      )}
    </Stack>
  );
}

export interface AddedProviderProps {
  added: Added;
  onTried: (added: Added) => void;
  onRemoved: () => void;
}

function Fails({ added: { channel, test }, onTried, onRemoved }: AddedProviderProps) {
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
      title={t('{name} was added, but its test failed', { name: channel.name })}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm" className="svc-anywhere">
          {test.error ? serverText(test.error) : t('The provider did not respond as expected.')}
        </Text>
        <Text size="sm">{t('It stays off until the test succeeds. Correct the settings above, or remove it.')}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
            {t('Test again')}
          </Button>
          <Button size="xs" variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t('Remove it')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The result of a new channel's first test, and the next steps. */
export function AddedProvider(props: AddedProviderProps) {
  return props.added.test.ok ? <Works {...props} /> : <Fails {...props} />;
}
