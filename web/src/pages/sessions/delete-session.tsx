import { del } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { rich, t } from '../../language/words.ts';
import { reloadSessions } from './sessions-queries.ts';

interface DeleteSessionProps {
  /** The dialog is open unless this is null. */
  id: string | null;
  onClose: () => void;
  onDeleted?: () => Promise<unknown>;
}

export function DeleteSession({ id, onClose, onDeleted }: DeleteSessionProps) {
  return (
    <ConfirmDelete
      opened={id !== null}
      onClose={onClose}
      title={t('Delete this session?')}
      confirmLabel={t('Delete session')}
      onConfirm={async () => {
        if (id !== null) await del('/api/svc-ms/sessions/{session_id}', { path: { session_id: id } });
        notifySuccess(t('Session deleted'));
        await onDeleted?.();
        await reloadSessions();
      }}
    >
      {rich(
        'The messages, summaries, plans and runs of <b>{id}</b> will be permanently deleted. Knowledge it added is kept.',
        { id: id ?? '', b: (text) => <strong className="svc-anywhere">{text}</strong> },
      )}
    </ConfirmDelete>
  );
}
