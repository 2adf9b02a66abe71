import { Anchor, Button, Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { type FactorMethod, post } from '../../api.ts';
import { CenteredLayout } from '../../components/centered-layout.tsx';
import { CodeInput, takesCode } from '../../components/code-input.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { t } from '../../language/words.ts';
import { passkeysWork } from '../../passkeys.ts';
import { useAct } from '../../use-act.ts';
import { useAfterLogin } from '../../use-after-login.ts';
import { PasskeyButton } from './passkey-button.tsx';

interface SecondStepProps {
  methods: FactorMethod[];
  onBack: () => void;
}

/** The second step of a login, for users with a second factor. */
export function SecondStep({ methods, onBack }: SecondStepProps) {
  const { entered } = useAfterLogin();
  const enter = useAct({
    mutationFn: (code: string) => post('/api/user/login/second-factor', { body: { code } }),
    onSuccess: entered,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    enter.mutate(String(new FormData(event.currentTarget).get('code')));
  };
  const footer = (
    <Anchor component="button" type="button" underline="always" onClick={onBack}>
      {t('Log in another way')}
    </Anchor>
  );
  return (
    <CenteredLayout
      title={t('Two-factor authentication')}
      description={t('Your account has a second factor. Complete it to log in.')}
      footer={footer}
    >
      <form onSubmit={submit}>
        <Stack>
          {enter.error && <ErrorState error={enter.error} title={t('Could not log in')} />}
          {takesCode(methods) && (
            <>
              <CodeInput methods={methods} />
              <Button type="submit" fullWidth loading={enter.isPending}>
                {t('Log in')}
              </Button>
            </>
          )}
          {methods.includes('passkey') && passkeysWork() && <PasskeyButton />}
        </Stack>
      </form>
    </CenteredLayout>
  );
}
