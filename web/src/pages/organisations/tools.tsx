import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { rich, t } from '../../language/words.ts';
import type { Organisation } from '../../organisations.ts';
import { type OpenDialog, ServerDialogs } from '../admin-mcp/server-dialogs.tsx';
import { ConnectButton, ServerTable } from '../admin-mcp/server-table.tsx';
import { connectionsQuery } from '../tools/tools-queries.ts';

const toTools = (text: ReactNode) => (
  <AnchorLink to="/tools" underline="always">
    {text}
  </AnchorLink>
);

/** MCP servers connected for every member of the organisation. */
export function Tools({ organisation: { id } }: { organisation: Organisation }) {
  const { data, error, refetch } = useQuery(connectionsQuery);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  if (!data)
    return error ? (
      <ErrorState error={error} title={t('Servers could not be loaded')} onRetry={() => refetch()} />
    ) : (
      <Skeleton height={220} />
    );
  if (!data.may_connect)
    return (
      <EmptyState
        icon={IconTool}
        title={t('Connecting servers is not allowed')}
        description={t('The operator of this service can allow users and organisations to connect MCP servers.')}
      />
    );
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" flex="1 1 20rem">
          {rich(
            'MCP servers for team keys and for everyone in the organisation except viewers. Members find them under <tools>Tools</tools>.',
            { tools: toTools },
          )}
        </Text>
        <ConnectButton setOpen={setOpen} />
      </Group>
      <ServerTable setOpen={setOpen} organisationId={id} />
      <ServerDialogs open={open} setOpen={setOpen} own organisationId={id} />
    </Stack>
  );
}
