import { Stack, Text } from '@mantine/core';
import { calledOf } from '../../account-name.ts';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { User } from '../../session.ts';

interface DeleteUserProps {
  user: User;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/** Mounted only while open. */
export function DeleteUser({ user, onClose, onDone }: DeleteUserProps) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={t('Delete {name}?', { name: calledOf(user) })}
      confirmLabel={t('Delete permanently')}
      typeToConfirm={calledOf(user)}
      onConfirm={async () => {
        await del('/api/admin/users/{id}', { path: { id: user.id } });
        notifySuccess(t('{name} is deleted', { name: calledOf(user) }));
        await onDone();
      }}
    >
      <Stack gap="xs">
        <Text inherit>
          {t(
            'The user is logged out everywhere and their keys are refused immediately. Conversations, knowledge, runs, videos, applications and the access given to others are deleted within minutes. This cannot be undone.',
          )}
        </Text>
        <Text inherit>
          {t('Usage, ledger and audit entries are kept under the name deleted-{id}, without address and browser.', {
            id: user.id,
          })}
        </Text>
        {user.quota > 0 && (
          <Text inherit>{t('The balance of {amount} will be lost.', { amount: formatQuota(user.quota) })}</Text>
        )}
      </Stack>
    </ConfirmDelete>
  );
}
