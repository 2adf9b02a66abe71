import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { ErrorState } from '../../components/error-state.tsx';
import { t } from '../../language/words.ts';
import { enterWithPasskey } from '../../passkeys.ts';
import { useAct } from '../../use-act.ts';
import { useAfterLogin } from '../../use-after-login.ts';

/** No username is needed: the device knows whose passkeys it stores. */
export function PasskeyButton() {
  const { entered } = useAfterLogin();
  const enter = useAct({ mutationFn: enterWithPasskey, onSuccess: entered });
  return (
    <>
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={enter.isPending}
        onClick={() => enter.mutate()}
      >
        {t('Log in with a passkey')}
      </Button>
      {enter.error && <ErrorState error={enter.error} title={t('Could not log in')} />}
    </>
  );
}
