import { Stack } from '@mantine/core';
import { useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { t } from '../../language/words.ts';
import { type OpenDialog, ServerDialogs } from './server-dialogs.tsx';
import { ConnectButton, ServerTable } from './server-table.tsx';
import { ToolCalls } from './tool-calls.tsx';

export function AdminMcpPage() {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  return (
    <>
      <PageHeader
        title={t('MCP servers')}
        description={t('Servers connected over MCP. Agents and models can use only the tools that you allow.')}
        actions={<ConnectButton setOpen={setOpen} />}
      />
      <Stack gap="xl">
        <ServerTable setOpen={setOpen} />
        <ToolCalls />
      </Stack>
      <ServerDialogs open={open} setOpen={setOpen} />
    </>
  );
}
