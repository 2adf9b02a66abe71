import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../language/words.ts';
import { mayCloseSending } from '../unsent.ts';
import { ErrorState } from './error-state.tsx';

interface FormFootProps {
  /** The mutation that the form starts. */
  act: { error: unknown; isPending: boolean };
  /** What did not happen when it fails: "The key was not saved". */
  failure?: string;
  submitLabel: ReactNode;
  onCancel: () => void;
  disabled?: boolean;
  /** What it does cannot be undone. */
  danger?: boolean;
}

/** The end of every form in a dialog: why it failed, the way out, the act. */
export function FormFoot({ act, failure, submitLabel, onCancel, disabled, danger }: FormFootProps) {
  return (
    <>
      {act.error != null && <ErrorState error={act.error} title={failure} />}
      <Group justify="flex-end">
        {/* Where the act cannot be undone, the way out is what Enter takes first; a field to fill in comes before it. */}
        <Button
          variant="default"
          onClick={() => (!act.isPending || mayCloseSending()) && onCancel()}
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
