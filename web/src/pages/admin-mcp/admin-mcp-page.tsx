import { Button, Stack } from '@mantine/core';
import { IconPlus, IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { put } from '../../api.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { usePage } from '../../use-url-state.ts';
import { mcpColumns } from './mcp-columns.tsx';
import { type McpServer, reloadServers, serverPageSize, serversQuery } from './mcp-servers.ts';
import { type OpenDialog, ServerDialogs } from './server-dialogs.tsx';
import { ToolCalls } from './tool-calls.tsx';

export function AdminMcpPage() {
  const [page, setPage] = usePage();
  const query = useQuery(serversQuery(page));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const toggle = useAct(
    {
      mutationFn: ({ id, enabled }: McpServer) =>
        put('/api/mcp/servers/{id}', { path: { id }, body: { enabled: !enabled } }),
      onSuccess: ({ name, enabled }) =>
        notifySuccess(enabled ? t('{name} is enabled', { name }) : t('{name} is disabled', { name })),
      onError: notifyError,
      onSettled: reloadServers,
    },
    ({ id }) => id,
  );
  const button = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ act: 'add' })}>
      {t('Connect a server')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('MCP servers')}
        description={t('Servers connected over MCP. Of their tools, agents and models may use those that you allow.')}
        actions={button}
      />
      <Stack gap="xl">
        <DataTable
          label={t('Servers')}
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
              title={t('No servers yet')}
              description={t('Connect a server by its address. None of its tools is used before you allow it.')}
              action={button}
            />
          }
        />
        <ToolCalls />
      </Stack>
      <ServerDialogs open={open} setOpen={setOpen} />
    </>
  );
}
