import { queryOptions } from '@tanstack/react-query';
import { get, type Result } from '../../api.ts';
import { queryClient, selfQuery } from '../../session.ts';

export const usersKey = ['admin-users'];

/** Invalidates everything that shows users, including the administrator's own account. */
export const reloadUsers = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: usersKey }),
    queryClient.invalidateQueries({ queryKey: ['audit'] }),
    queryClient.invalidateQueries(selfQuery),
  ]);

export type Person = Result<'/api/admin/users/{id}', 'get'>;
export const personQuery = (id: number) =>
  queryOptions({
    queryKey: [...usersKey, 'one', id],
    queryFn: ({ signal }) => get('/api/admin/users/{id}', { path: { id }, signal }),
  });

export const invitationsQuery = queryOptions({
  queryKey: [...usersKey, 'invitations'],
  queryFn: ({ signal }) => get('/api/admin/invitations', { signal }),
});
