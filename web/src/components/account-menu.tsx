import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconBook2, IconLogout, IconUser } from '@tabler/icons-react';
import { Link, useRouter } from '@tanstack/react-router';
import { post } from '../api.ts';
import { t } from '../language/words.ts';
import { forgetUser, useUser } from '../session.ts';
import { useAct } from '../use-act.ts';
import { notifyError } from './notify.ts';

export function AccountMenu() {
  const user = useUser();
  const router = useRouter();
  const name = user.display_name || user.username;
  const logout = useAct({
    mutationFn: () => post('/api/user/logout'),
    onSuccess: async () => {
      forgetUser();
      await router.navigate({ to: '/login' });
    },
    onError: notifyError,
  });
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton>
          <span className="svc-hidden">{t('Account menu of {name}', { name })}</span>
          <span aria-hidden>
            <Avatar src={user.avatar_url || null} name={name} color="indigo" size={32} alt="" />
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {name}
          </Text>
          <Text size="xs" truncate>
            {user.email || user.username}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} stroke={1.7} aria-hidden />}>
          {t('Account')}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<IconBook2 size={16} stroke={1.7} aria-hidden />}>
          {t('API reference')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.7} aria-hidden />} onClick={() => logout.mutate()}>
          {t('Log out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
