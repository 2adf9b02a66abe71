import { Button, Group, Stack, Text } from '@mantine/core';
import { IconEdit, IconTrash } from '@tabler/icons-react';
import { RowMenu } from '../../components/row-menu.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { passkeysWork } from '../../passkeys.ts';
import type { Passkey } from './security-query.ts';

interface PasskeyListProps {
  passkeys: Passkey[];
  onAdd: () => void;
  onName: (passkey: Passkey) => void;
  onRemove: (passkey: Passkey) => void;
}

export function PasskeyList({ passkeys, onAdd, onName, onRemove }: PasskeyListProps) {
  const works = passkeysWork();
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <div>
          <Text fw={600} size="sm">
            {t('Passkeys')}
          </Text>
          <Text size="sm" c="dimmed">
            {works
              ? t('Log in without a password, using your device’s fingerprint, face or PIN check.')
              : t('Passkeys need a supporting browser, and a domain name with https.')}
          </Text>
        </div>
        <Button variant="default" size="sm" onClick={onAdd} disabled={!works}>
          {t('Add a passkey')}
        </Button>
      </Group>
      {passkeys.map((passkey) => (
        <Group key={passkey.id} justify="space-between" wrap="nowrap" pl="md">
          <Text size="sm" className="svc-anywhere">
            {passkey.name}{' '}
            <Text span size="sm" c="dimmed">
              {passkey.last_used_at === null
                ? rich('added {time}', { time: <TimeAgo at={passkey.created_at} /> })
                : rich('used {time}', { time: <TimeAgo at={passkey.last_used_at} /> })}
            </Text>
          </Text>
          <RowMenu
            label={passkey.name}
            acts={[
              { label: t('Rename'), icon: IconEdit, onClick: () => onName(passkey) },
              { label: t('Remove'), icon: IconTrash, danger: true, onClick: () => onRemove(passkey) },
            ]}
          />
        </Group>
      ))}
    </Stack>
  );
}
