import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';
import { waysQuery } from '../../sign-in.ts';

export type IdentityProvider = Result<'/api/admin/identity-providers/{id}', 'get'>;

export const providerPageSize = 20;

export const providersQuery = (page: number) =>
  queryOptions({
    queryKey: ['identity-providers', page],
    queryFn: ({ signal }) =>
      get('/api/admin/identity-providers', { query: { page, page_size: providerPageSize }, signal }),
    placeholderData: (before) => before,
  });

/** Providers that may assert their users' identity to MCP servers. */
export const vouchersQuery = queryOptions({
  queryKey: ['identity-providers', 'vouching'],
  queryFn: async ({ signal }) => {
    const { providers } = await get('/api/admin/identity-providers', { query: { page_size: 100 }, signal });
    return providers.filter(({ vouches, enabled }) => vouches && enabled);
  },
});

export const reloadProviders = (): Promise<unknown> =>
  Promise.all(
    [['identity-providers'], waysQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
