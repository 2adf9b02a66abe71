import { Anchor, Avatar, Group, Stack, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { post } from '../../api.ts';
import { notifyError } from '../../components/notify.ts';
import { rich, t } from '../../language/words.ts';
import { forgetUser, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';

/** The account that access is granted to, with a button to switch accounts unless `fixed`. */
export function SignedInAs({ fixed = false }) {
  const user = useUser();
  const router = useRouter();
  const name = user.display_name || user.username;
  const change = useAct({
    mutationFn: () => post('/api/user/logout'),
    onSuccess: async () => {
      const { pathname, search } = window.location;
      forgetUser();
      await router.navigate({ to: '/login', search: { next: pathname + search } });
    },
    onError: notifyError,
  });
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar src={user.avatar_url || null} name={name} color="indigo" size={38} alt="" aria-hidden />
      <Stack gap={0} flex={1} miw={0} align="flex-start">
        <Text size="sm" truncate maw="100%">
          {rich('Signed in as {name}', {
            name: <b>{name === user.username ? name : t('{name} ({username})', { name, username: user.username })}</b>,
          })}
        </Text>
        <Anchor
          component="button"
          type="button"
          size="sm"
          disabled={fixed || change.isPending}
          onClick={() => change.mutate()}
        >
          {t('Not you? Switch account')}
        </Anchor>
      </Stack>
    </Group>
  );
}
