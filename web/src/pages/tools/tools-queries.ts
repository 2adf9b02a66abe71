import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type Connections = Result<'/api/mcp/connections', 'get'>;
export type Connection = Connections['servers'][number];
export type ConnectedTool = Connection['tools'][number];
export type Approval = Result<'/api/mcp/approvals', 'get'>['approvals'][number];

/** Shares its key prefix with the administrator's list, so that a change to a server invalidates both. */
export const connectionsQuery = queryOptions({
  queryKey: ['mcp-servers', 'connections'],
  queryFn: ({ signal }) => get('/api/mcp/connections', { signal }),
});

/** The approved tools that servers offer right now. Takes as long as the servers take to answer. */
export const offeredQuery = queryOptions({
  queryKey: ['mcp-servers', 'offered'],
  queryFn: async ({ signal }) => {
    const { tools } = await get('/api/mcp/tools', { signal });
    return new Set(tools.map(({ name }) => name));
  },
});

/** Polls, because an agent may ask at any time, and gives up after 15 minutes. */
export const approvalsQuery = queryOptions({
  queryKey: ['mcp-approvals'],
  queryFn: async ({ signal }) => (await get('/api/mcp/approvals', { signal })).approvals,
  refetchInterval: 5_000,
});

export const reloadApprovals = (): Promise<unknown> => queryClient.invalidateQueries({ queryKey: ['mcp-approvals'] });
