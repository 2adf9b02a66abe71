import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type McpServer = Result<'/api/mcp/servers/{id}', 'get'>;
export type McpTest = Result<'/api/mcp/servers/{id}/test', 'post'>;
export type McpTool = McpTest['tools'][number];

export const serverPageSize = 20;

export const serversQuery = (page: number) =>
  queryOptions({
    queryKey: ['mcp-servers', page],
    queryFn: ({ signal }) => get('/api/mcp/servers', { query: { page, page_size: serverPageSize }, signal }),
    placeholderData: (before) => before,
  });

export const reloadServers = (): Promise<unknown> => queryClient.invalidateQueries({ queryKey: ['mcp-servers'] });
