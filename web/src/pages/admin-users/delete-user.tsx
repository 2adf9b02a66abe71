import { Stack, Text } from '@mantine/core';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatQuota } from '../../format.ts';
import type { User } from '../../session.ts';

interface DeleteUserProps {
  user: User;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/** Mounted while it is open. */
export function DeleteUser({ user, onClose, onDone }: DeleteUserProps) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${user.username}?`}
      confirmLabel="Delete for good"
      typeToConfirm={user.username}
      onConfirm={async () => {
        await del('/api/admin/users/{id}', { path: { id: user.id } });
        notifySuccess(`${user.username} is deleted`);
        await onDone();
      }}
    >
      <Stack gap="xs">
        <Text inherit>
          Logged out everywhere and keys refused at once. Conversations, knowledge, runs, videos, applications and the
          access given to others are deleted within minutes. This cannot be undone.
        </Text>
        <Text inherit>
          Usage, ledger and audit entries stay under the name deleted-{user.id}, without address and browser.
        </Text>
        {user.quota > 0 && <Text inherit>The balance of {formatQuota(user.quota)} is lost.</Text>}
      </Stack>
    </ConfirmDelete>
  );
}
