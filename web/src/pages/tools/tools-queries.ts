import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type Connections = Result<'/api/mcp/connections', 'get'>;
export type Connection = Connections['servers'][number];
export type ConnectedTool = Connection['tools'][number];
export type Approval = Result<'/api/mcp/approvals', 'get'>['approvals'][number];

/** Begins like the administrator's list, so that whatever changes a server renews both. */
export const connectionsQuery = queryOptions({
  queryKey: ['mcp-servers', 'connections'],
  queryFn: ({ signal }) => get('/api/mcp/connections', { signal }),
});

/** What servers list as it was approved, as they answer now: takes as long as they do. */
export const offeredQuery = queryOptions({
  queryKey: ['mcp-servers', 'offered'],
  queryFn: async ({ signal }) => {
    const { tools } = await get('/api/mcp/tools', { signal });
    return new Set(tools.map(({ name }) => name));
  },
});

/** An agent may ask at any moment, and gives up after a quarter of an hour. */
export const approvalsQuery = queryOptions({
  queryKey: ['mcp-approvals'],
  queryFn: async ({ signal }) => (await get('/api/mcp/approvals', { signal })).approvals,
  refetchInterval: 5_000,
});

export const reloadApprovals = (): Promise<unknown> => queryClient.invalidateQueries({ queryKey: ['mcp-approvals'] });
