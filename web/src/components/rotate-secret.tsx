import { Select, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatZoned } from '../format.ts';
import { t } from '../language/words.ts';
import { useCheckedForm } from '../use-checked-form.ts';
import { FormDialog } from './form-dialog.tsx';

interface RotateSecretProps {
  title: string;
  /** What the new secret means for its users. */
  children: ReactNode;
  /** The previous secret that is still valid; rotating ends it. */
  previous: { key?: string; ends_at: number } | null;
  onClose: () => void;
  /** The dialog closes on success and shows a failure itself. */
  onSubmit: (overlapSeconds: number) => Promise<unknown>;
}

const overlaps = [
  { value: '0', label: t('No, revoke it now') },
  { value: '3600', label: t('For an hour') },
  { value: '86400', label: t('For a day') },
  { value: '604800', label: t('For a week') },
  { value: '2592000', label: t('For 30 days') },
];

const none = () => ({});

const endsNow = ({ key, ends_at }: { key?: string; ends_at: number }): string => {
  const endsAt = formatZoned(ends_at);
  return key === undefined
    ? t('The earlier secret, still valid until {endsAt}, will stop working immediately.', { endsAt })
    : t('The earlier secret, {key}, still valid until {endsAt}, will stop working immediately.', { key, endsAt });
};

/** Mount it only while open. */
export function RotateSecret({ title, children, previous, onClose, onSubmit }: RotateSecretProps) {
  const { fields, set, save, submit } = useCheckedForm({ overlap: '86400' }, none, ({ overlap }) =>
    onSubmit(Number(overlap)),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      onSubmit={submit}
      act={save}
      failure={t('The secret was not changed')}
      submitLabel={t('Create new secret')}
    >
      <Text size="sm">{children}</Text>
      <Select
        label={t('Keep the old secret valid')}
        description={t('Allow enough time to replace it everywhere it is used')}
        data={overlaps}
        allowDeselect={false}
        data-autofocus
        value={fields.overlap}
        onChange={(overlap) => set({ overlap: overlap ?? '0' })}
      />
      {previous && (
        <Text size="sm" c="var(--mantine-color-error)">
          {endsNow(previous)}
        </Text>
      )}
    </FormDialog>
  );
}
