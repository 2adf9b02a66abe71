import { calledOf } from '../../account-name.ts';
import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import type { User } from '../../session.ts';
import { reloadUsers } from './users-queries.ts';

/** For users who lost both their phone and their recovery codes. */
export function RemoveFactors({ user, onClose }: { user: User; onClose: () => void }) {
  const remove = async () => {
    await del('/api/admin/users/{id}/factors', { path: { id: user.id } });
    notifySuccess(t('{username} now logs in with the password alone', { username: calledOf(user) }));
    await reloadUsers();
  };
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={t('Remove the second factors of {username}?', { username: calledOf(user) })}
      confirmLabel={t('Remove')}
      onConfirm={remove}
    >
      {t(
        'The authenticator app, passkeys and recovery codes stop working, and the password alone is enough to log in. Make sure that the request really comes from this user; they are notified that you did this.',
      )}
    </ConfirmDelete>
  );
}
