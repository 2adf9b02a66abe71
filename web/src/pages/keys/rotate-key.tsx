import { Select, Stack, Text } from '@mantine/core';
import { Dialog } from '../../components/dialog.tsx';
import { FormFoot } from '../../components/form-foot.tsx';
import { formatZoned } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import type { ApiKey } from './key-fields.ts';

interface RotateKeyProps {
  apiKey: ApiKey;
  onClose: () => void;
  /** Closes when it succeeds; a failure is shown in place. */
  onSubmit: (overlapSeconds: number) => Promise<unknown>;
}

const overlaps = [
  { value: '0', label: t('Not at all: it ends now') },
  { value: '3600', label: t('For an hour') },
  { value: '86400', label: t('For a day') },
  { value: '604800', label: t('For a week') },
  { value: '2592000', label: t('For 30 days') },
];

const none = () => ({});

/** Mounted while it is open. */
export function RotateKey({ apiKey, onClose, onSubmit }: RotateKeyProps) {
  const { fields, set, save, submit } = useCheckedForm({ overlap: '86400' }, none, ({ overlap }) =>
    onSubmit(Number(overlap)),
  );
  const { previous } = apiKey;
  return (
    <Dialog opened onClose={onClose} title={t('New secret for {name}', { name: apiKey.name })}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            {t(
              'The key gets a new secret, which is shown once. Its limits, quota and usage stay the same, whichever of the two is used.',
            )}
          </Text>
          <Select
            label={t('The old secret goes on')}
            description={t('Long enough to bring the new one to all who use it')}
            data={overlaps}
            allowDeselect={false}
            data-autofocus
            value={fields.overlap}
            onChange={(overlap) => set({ overlap: overlap ?? '0' })}
          />
          {previous && (
            <Text size="sm" c="var(--mantine-color-error)">
              {t('The secret before it, {key}, which would have gone on until {endsAt}, ends now.', {
                key: previous.key,
                endsAt: formatZoned(previous.ends_at),
              })}
            </Text>
          )}
          <FormFoot
            act={save}
            failure={t('The secret was not changed')}
            submitLabel={t('Make a new secret')}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
