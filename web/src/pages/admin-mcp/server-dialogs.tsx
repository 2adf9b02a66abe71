import { useState } from 'react';
import { del, put } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { bodyOf, emptyServer, fieldsOf, type McpFields } from './mcp-fields.ts';
import { McpForm } from './mcp-form.tsx';
import { type McpServer, reloadServers } from './mcp-servers.ts';
import { ServerTools } from './server-tools.tsx';

export type OpenDialog = { act: 'add' } | { act: 'edit' | 'tools' | 'remove'; server: McpServer };

/** The owner of a new server: the operator by default, else a user or an organisation. */
interface Whose {
  /** Owned by a user or an organisation instead of the operator. */
  own?: boolean;
  organisationId?: number | undefined;
}

interface AddProps extends Whose {
  onAdded: (server: McpServer) => void;
  onClose: () => void;
}

function AddServer({ own = false, organisationId, onAdded, onClose }: AddProps) {
  const post = usePost();
  const add = async (fields: McpFields) => {
    const whose = organisationId === undefined ? {} : { organisation_id: organisationId };
    const server = await post('/api/mcp/servers', { body: { name: fields.name, ...whose, ...bodyOf(fields, own) } });
    await reloadServers();
    onAdded(server);
  };
  return (
    <Dialog opened onClose={onClose} title={t('Connect a server')} size="lg">
      <McpForm
        initial={emptyServer}
        own={own}
        organisationId={organisationId}
        submitLabel={t('Connect')}
        onCancel={onClose}
        onSubmit={add}
      />
    </Dialog>
  );
}

function EditServer({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const own = server.owner_id !== null;
  const { type, id } = server.owner;
  const [before] = useState(() => fieldsOf(server));
  const save = async (fields: McpFields) => {
    const body = changedFields(bodyOf(before, own), bodyOf(fields, own));
    if (Object.keys(body).length > 0) await put('/api/mcp/servers/{id}', { path: { id: server.id }, body });
    notifySuccess(t('Server saved'));
    onClose();
    await reloadServers();
  };
  return (
    <Dialog opened onClose={onClose} title={t('Edit {name}', { name: server.name })} size="lg">
      <McpForm
        initial={before}
        stored={server.header_names}
        own={own}
        organisationId={type === 'organisation' ? id! : undefined}
        submitLabel={t('Save')}
        onCancel={onClose}
        onSubmit={save}
      />
    </Dialog>
  );
}

interface ServerDialogsProps extends Whose {
  open: OpenDialog | null;
  setOpen: (open: OpenDialog | null) => void;
}

/** Dialogs to connect, edit and delete servers and to approve their tools. */
export function ServerDialogs({ open, setOpen, ...whose }: ServerDialogsProps) {
  const close = () => setOpen(null);
  // A server that users sign in to lists no tools before the first sign-in.
  const added = (server: McpServer) => setOpen(server.auth === 'oauth' ? null : { act: 'tools', server });
  return (
    <>
      {open?.act === 'add' && <AddServer {...whose} onClose={close} onAdded={added} />}
      {open?.act === 'edit' && <EditServer server={open.server} onClose={close} />}
      {open?.act === 'tools' && <ServerTools server={open.server} onClose={close} />}
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Delete {name}?', { name: open.server.name }) : t('Delete')}
        confirmLabel={t('Delete server')}
        onConfirm={async () => {
          if (open?.act === 'remove') await del('/api/mcp/servers/{id}', { path: { id: open.server.id } });
          notifySuccess(t('Server deleted'));
          await reloadServers();
        }}
      >
        {t('Its headers and tool permissions are deleted too. Runs that use its tools continue without them.')}
      </ConfirmDelete>
    </>
  );
}
