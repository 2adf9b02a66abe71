import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../language/words.ts';
import { mayCloseWhileSending } from '../unsaved-changes.ts';
import { ErrorState } from './error-state.tsx';

export interface FormFootProps {
  /** The mutation started by the form. */
  act: { error: unknown; isPending: boolean };
  /** Error title: "The key was not saved". */
  failure?: string;
  submitLabel: ReactNode;
  onCancel: () => void;
  disabled?: boolean;
  /** For actions that cannot be undone. */
  danger?: boolean;
}

/** Footer of every form in a dialog: the error, cancel and submit. */
export function FormFoot({ act, failure, submitLabel, onCancel, disabled, danger }: FormFootProps) {
  return (
    <>
      {act.error != null && <ErrorState error={act.error} title={failure} />}
      <Group justify="flex-end">
        {/* Cancel gets the initial focus if the action cannot be undone, unless there is a field to fill in. */}
        <Button
          variant="default"
          onClick={() => (!act.isPending || mayCloseWhileSending()) && onCancel()}
          data-autofocus={danger || undefined}
        >
          {t('Cancel')}
        </Button>
        <Button type="submit" color={danger ? 'red' : undefined} loading={act.isPending} disabled={disabled}>
          {submitLabel}
        </Button>
      </Group>
    </>
  );
}
