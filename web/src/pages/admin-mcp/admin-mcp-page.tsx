import { Button } from '@mantine/core';
import { IconPlus, IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { usePost } from '../../once.ts';
import { useAct } from '../../use-act.ts';
import { usePage } from '../../use-url-state.ts';
import { mcpColumns } from './mcp-columns.tsx';
import { bodyOf, emptyServer, fieldsOf, type McpFields } from './mcp-fields.ts';
import { McpForm } from './mcp-form.tsx';
import { type McpServer, reloadServers, serverPageSize, serversQuery } from './mcp-servers.ts';
import { ServerTools } from './server-tools.tsx';

type Open = { act: 'add' } | { act: 'edit' | 'tools' | 'remove'; server: McpServer };

function AddServer({ onAdded, onClose }: { onAdded: (server: McpServer) => void; onClose: () => void }) {
  const post = usePost();
  const add = async (fields: McpFields) => {
    const server = await post('/api/mcp/servers', { body: { name: fields.name, ...bodyOf(fields) } });
    await reloadServers();
    onAdded(server);
  };
  return (
    <Dialog opened onClose={onClose} title="Connect a server" size="lg">
      <McpForm initial={emptyServer} submitLabel="Connect" onCancel={onClose} onSubmit={add} />
    </Dialog>
  );
}

function EditServer({ server, onClose }: { server: McpServer; onClose: () => void }) {
  const save = async (fields: McpFields) => {
    await put('/api/mcp/servers/{id}', { path: { id: server.id }, body: bodyOf(fields) });
    notifySuccess('Server saved');
    onClose();
    await reloadServers();
  };
  return (
    <Dialog opened onClose={onClose} title={`Edit ${server.name}`} size="lg">
      <McpForm
        initial={fieldsOf(server)}
        stored={server.header_names}
        submitLabel="Save"
        onCancel={onClose}
        onSubmit={save}
      />
    </Dialog>
  );
}

export function AdminMcpPage() {
  const [page, setPage] = usePage();
  const query = useQuery(serversQuery(page));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const toggle = useAct(
    {
      mutationFn: ({ id, enabled }: McpServer) =>
        put('/api/mcp/servers/{id}', { path: { id }, body: { enabled: !enabled } }),
      onSuccess: ({ name, enabled }) => notifySuccess(`${name} is ${enabled ? 'enabled' : 'disabled'}`),
      onError: notifyError,
      onSettled: reloadServers,
    },
    ({ id }) => id,
  );
  const button = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ act: 'add' })}>
      Connect a server
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Tools"
        description="Servers connected over MCP. Of their tools, models may use those that you allow."
        actions={button}
      />
      <DataTable
        label="Servers"
        columns={mcpColumns({
          tools: (server) => setOpen({ act: 'tools', server }),
          edit: (server) => setOpen({ act: 'edit', server }),
          toggle: toggle.mutate,
          remove: (server) => setOpen({ act: 'remove', server }),
        })}
        rows={query.data?.servers}
        rowKey={({ id }) => id}
        query={query}
        minWidth={760}
        paging={{ page, pageSize: serverPageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={
          <EmptyState
            icon={IconTool}
            title="No servers yet"
            description="Connect a server by its address. None of its tools is used before you allow it."
            action={button}
          />
        }
      />
      {open?.act === 'add' && <AddServer onClose={close} onAdded={(server) => setOpen({ act: 'tools', server })} />}
      {open?.act === 'edit' && <EditServer server={open.server} onClose={close} />}
      {open?.act === 'tools' && <ServerTools server={open.server} onClose={close} />}
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? `Delete ${open.server.name}?` : 'Delete'}
        confirmLabel="Delete server"
        onConfirm={async () => {
          if (open?.act === 'remove') await del('/api/mcp/servers/{id}', { path: { id: open.server.id } });
          notifySuccess('Server deleted');
          await reloadServers();
        }}
      >
        Its headers and what you allowed of its tools are deleted with it. Runs that use them go on without.
      </ConfirmDelete>
    </>
  );
}
