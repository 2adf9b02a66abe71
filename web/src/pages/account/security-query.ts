import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient } from '../../session.ts';

export type Security = Result<'/api/user/security', 'get'>;
export type Passkey = Security['passkeys'][number];

export const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: ({ signal }) => get('/api/user/security', { signal }),
});

export const reloadSecurity = () => queryClient.invalidateQueries(securityQuery);
