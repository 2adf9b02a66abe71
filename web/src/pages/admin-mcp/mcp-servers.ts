import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type McpServer = Result<'/api/mcp/servers/{id}', 'get'>;
export type McpTest = Result<'/api/mcp/servers/{id}/test', 'post'>;
export type McpTool = McpTest['tools'][number];

export const serverPageSize = 20;

export const serversQuery = (page: number, organisation_id?: number) =>
  queryOptions({
    queryKey: ['mcp-servers', organisation_id ?? null, page],
    queryFn: ({ signal }) => {
      const query = { page, page_size: serverPageSize, ...(organisation_id !== undefined && { organisation_id }) };
      return get('/api/mcp/servers', { query, signal });
    },
    placeholderData: (before) => before,
  });

export const reloadServers = (): Promise<unknown> => queryClient.invalidateQueries({ queryKey: ['mcp-servers'] });
