import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { post } from '../../api.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { OwnPassword } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import { useHasPassword } from '../../sign-in.ts';
import { useAct } from '../../use-act.ts';
import { securityQuery } from './security-query.ts';

interface ConnectAccountProps {
  provider: { slug: string; name: string };
  returnTo?: string;
  onClose: () => void;
}

/** Connects an account at a provider, which can then log in here: for this the password or a second factor is shown. */
export function ConnectAccount({ provider: { slug, name }, returnTo, onClose }: ConnectAccountProps) {
  const security = useQuery(securityQuery);
  const needsPassword = useHasPassword() && security.data?.methods.length === 0;
  const begin = useAct({
    mutationFn: (password: string) =>
      post('/api/user/identities', {
        body: { provider: slug, ...(returnTo && { return_to: returnTo }), ...(password && { password }) },
      }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    begin.mutate(String(new FormData(event.currentTarget).get('password') ?? ''));
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t('Connect your account at {name}', { name })}
      onSubmit={submit}
      act={begin}
      failure={t('No account was connected')}
      submitLabel={t('Continue')}
      disabled={security.isPending}
    >
      <Text size="sm">
        {t('You will be sent to {name}. The account that you sign in to there can then be used to log in here.', {
          name,
        })}
      </Text>
      {needsPassword && <OwnPassword data-autofocus />}
    </FormDialog>
  );
}
