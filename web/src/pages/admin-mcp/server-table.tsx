import { IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { del, post, put } from '../../api.ts';
import { AddButton } from '../../components/add-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { notifyToggled } from '../../components/enabled-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { usePage } from '../../use-url-state.ts';
import { mcpColumns } from './mcp-columns.tsx';
import { type McpServer, reloadServers, serverPageSize, serversQuery } from './mcp-servers.ts';
import type { OpenDialog } from './server-dialogs.tsx';

type SetOpen = (open: OpenDialog) => void;

export const ConnectButton = ({ setOpen }: { setOpen: SetOpen }) => (
  <AddButton onClick={() => setOpen({ act: 'add' })}>{t('Connect a server')}</AddButton>
);

interface ServerTableProps {
  setOpen: SetOpen;
  /** Limits the table to one organisation, whose servers all have the same audience; absent: all servers. */
  organisationId?: number;
}

/** The servers, for their administrators. */
export function ServerTable({ setOpen, organisationId }: ServerTableProps) {
  const [page, setPage] = usePage();
  const query = useQuery(serversQuery(page, organisationId));
  const toggle = useAct(
    {
      mutationFn: ({ id, enabled }: McpServer) =>
        put('/api/mcp/servers/{id}', { path: { id }, body: { enabled: !enabled } }),
      onSuccess: ({ name, enabled }) => notifyToggled(name, enabled),
      onError: notifyError,
      onSettled: reloadServers,
    },
    ({ id }) => id,
  );
  const signIn = useAct(
    {
      mutationFn: async ({ id }: McpServer) =>
        (await post('/api/mcp/servers/{id}/shared-sign-in', { path: { id } })).authorization_url,
      onSuccess: (url) => window.location.assign(url),
      onError: notifyError,
    },
    ({ id }) => id,
  );
  const signOut = useAct(
    {
      mutationFn: ({ id }: McpServer) => del('/api/mcp/servers/{id}/shared-sign-in', { path: { id } }),
      onSuccess: (_, { name }) => notifySuccess(t('Shared sign-in to {name} ended', { name })),
      onError: notifyError,
      onSettled: reloadServers,
    },
    ({ id }) => id,
  );
  const columns = mcpColumns({
    tools: (server) => setOpen({ act: 'tools', server }),
    edit: (server) => setOpen({ act: 'edit', server }),
    toggle: toggle.mutate,
    signIn: signIn.mutate,
    signOut: signOut.mutate,
    remove: (server) => setOpen({ act: 'remove', server }),
  });
  return (
    <DataTable
      label={t('Servers')}
      columns={organisationId === undefined ? columns : columns.filter(({ key }) => key !== 'who')}
      rows={query.data?.servers}
      rowKey={({ id }) => id}
      query={query}
      minWidth={organisationId === undefined ? 760 : 560}
      paging={{ page, pageSize: serverPageSize, total: query.data?.total ?? 0, onPage: setPage }}
      empty={{
        icon: IconTool,
        title: t('No servers yet'),
        description: t('Connect a server by its address. Its tools are not used until you allow them.'),
        action: <ConnectButton setOpen={setOpen} />,
      }}
    />
  );
}
