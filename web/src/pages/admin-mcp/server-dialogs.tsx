import { del, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { usePost } from '../../once.ts';
import { bodyOf, emptyServer, fieldsOf, type McpFields } from './mcp-fields.ts';
import { McpForm } from './mcp-form.tsx';
import { type McpServer, reloadServers } from './mcp-servers.ts';
import { ServerTools } from './server-tools.tsx';

export type OpenDialog = { act: 'add' } | { act: 'edit' | 'tools' | 'remove'; server: McpServer };

interface AddProps {
  own: boolean;
  onAdded: (server: McpServer) => void;
  onClose: () => void;
}

function AddServer({ own, onAdded, onClose }: AddProps) {
  const post = usePost();
  const add = async (fields: McpFields) => {
    const server = await post('/api/mcp/servers', { body: { name: fields.name, ...bodyOf(fields, own) } });
    await reloadServers();
    onAdded(server);
  };
  return (
    <Dialog opened onClose={onClose} title={t('Connect a server')} size="lg">
      <McpForm initial={emptyServer} own={own} submitLabel={t('Connect')} onCancel={onClose} onSubmit={add} />
    </Dialog>
  );
}

function EditServer({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const own = server.owner_id !== null;
  const save = async (fields: McpFields) => {
    await put('/api/mcp/servers/{id}', { path: { id: server.id }, body: bodyOf(fields, own) });
    notifySuccess(t('Server saved'));
    onClose();
    await reloadServers();
  };
  return (
    <Dialog opened onClose={onClose} title={t('Edit {name}', { name: server.name })} size="lg">
      <McpForm
        initial={fieldsOf(server)}
        stored={server.header_names}
        own={own}
        submitLabel={t('Save')}
        onCancel={onClose}
        onSubmit={save}
      />
    </Dialog>
  );
}

interface ServerDialogsProps {
  open: OpenDialog | null;
  setOpen: (open: OpenDialog | null) => void;
  /** What is connected here is a user's own; what an administrator connects is the operator's. */
  own?: boolean;
}

/** What is done with servers: connected, changed, their tools allowed, removed. */
export function ServerDialogs({ open, setOpen, own = false }: ServerDialogsProps) {
  const close = () => setOpen(null);
  // One that users sign in to lists nothing before somebody has.
  const added = (server: McpServer) => setOpen(server.auth === 'oauth' ? null : { act: 'tools', server });
  return (
    <>
      {open?.act === 'add' && <AddServer own={own} onClose={close} onAdded={added} />}
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
        {t('Its headers and what you allowed of its tools are deleted with it. Runs that use them go on without.')}
      </ConfirmDelete>
    </>
  );
}
