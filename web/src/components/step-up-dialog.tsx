import { Button, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import type { FormEvent } from 'react';
import { type FactorMethod, post } from '../api.ts';
import { t } from '../language/words.ts';
import { passkeysWork, stepUpWithPasskey } from '../passkeys.ts';
import { useAct } from '../use-act.ts';
import { CodeInput, takesCode } from './code-input.tsx';
import { FormDialog } from './form-dialog.tsx';

export interface StepUpDialogProps {
  /** Null if nothing is asked. */
  methods: FactorMethod[] | null;
  onAnswer: (proven: boolean) => void;
}

export function StepUpDialog({ methods: asked, onAnswer }: StepUpDialogProps) {
  const prove = useAct({
    mutationFn: async (code: string | null): Promise<void> => {
      if (code === null) await stepUpWithPasskey();
      else await post('/api/user/step-up', { body: { code } });
    },
    onSuccess: () => close(true),
  });
  const close = (proven: boolean) => {
    onAnswer(proven);
    prove.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // React events bubble through portals to the form that opened the dialog, which must not be submitted too.
    event.stopPropagation();
    prove.mutate(String(new FormData(event.currentTarget).get('code')));
  };
  const methods = asked ?? [];
  const byPasskey = methods.includes('passkey') && passkeysWork();
  return (
    <FormDialog
      opened={asked !== null}
      onClose={() => close(false)}
      title={t('Confirm that it is you')}
      zIndex={400}
      onSubmit={submit}
      act={prove}
      failure={t('Not confirmed')}
      submitLabel={t('Confirm')}
      disabled={!takesCode(methods)}
    >
      <Text size="sm">{t('This needs your second factor. You will not be asked again for ten minutes.')}</Text>
      {byPasskey && (
        <Button
          variant="light"
          leftSection={<IconFingerprint size={18} aria-hidden />}
          onClick={() => prove.mutate(null)}
          loading={prove.isPending}
        >
          {t('Use a passkey')}
        </Button>
      )}
      {takesCode(methods) && <CodeInput methods={methods} />}
    </FormDialog>
  );
}
