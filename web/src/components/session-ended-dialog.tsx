import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { get } from '../api.ts';
import { t } from '../language/words.ts';
import { queryClient, selfQuery, useUser } from '../session.ts';
import { useAct } from '../use-act.ts';
import { Dialog } from './dialog.tsx';
import { ErrorState } from './error-state.tsx';

export interface SessionEndedDialogProps {
  ended: boolean;
  onBack: () => void;
}

/**
 * There are many ways to log in, so that happens in another tab; this tab checks the session again when it gets focus.
 */
export function SessionEndedDialog({ ended, onBack }: SessionEndedDialogProps) {
  const user = useUser();
  const { mutate, isPending, error } = useAct({
    mutationFn: () => get('/api/user/self'),
    onSuccess: async (fresh) => {
      // Another user has logged in: nothing of the previous user's data may stay.
      if (fresh.id !== user.id) {
        window.location.reload();
        return;
      }
      queryClient.setQueryData(selfQuery.queryKey, fresh);
      onBack();
      await queryClient.invalidateQueries();
    },
  });
  useEffect(() => {
    if (!ended) return;
    const look = () => mutate();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [ended, mutate]);
  return (
    <Dialog
      opened={ended}
      onClose={() => {}}
      title={t('Your session has ended')}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={500}
    >
      <Stack>
        <Text size="sm">
          {t('Your input is still here. Log in again in another tab, then return to this page and continue.')}
        </Text>
        {error && <ErrorState error={error} title={t('Not logged in yet')} />}
        <Group justify="flex-end">
          <Button variant="subtle" color="gray" onClick={() => window.location.reload()}>
            {t('Leave this page')}
          </Button>
          <Button variant="default" loading={isPending} onClick={() => mutate()}>
            {t('Continue')}
          </Button>
          <Button component="a" href="/login" target="_blank" rel="noopener">
            {t('Log in')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
