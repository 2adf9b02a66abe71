import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get } from '../../api.ts';
import { distinctIds, findNames, type Names } from './find-names.ts';

const pageSize = 100;
/** The newest 500 applications; entries about older ones show their id alone. */
const mostPages = 5;
const none: Names = {};

async function readApplications(page: number, signal: AbortSignal) {
  const query = { page, page_size: pageSize };
  const { applications, total } = await get('/api/oauth2/admin/applications', { query, signal });
  return {
    names: Object.fromEntries(applications.map(({ id, name }) => [id, name])),
    last: page * pageSize >= total,
  };
}

async function readUsers(ids: number[], signal: AbortSignal): Promise<Names> {
  const { users } = await get('/api/admin/users', { query: { ids: ids.join(','), page_size: pageSize }, signal });
  return Object.fromEntries(users.map(({ id, username }) => [id, username]));
}

interface Entry {
  application_id: number | null;
  user_id: number | null;
}

export interface AuditNames {
  applications: Names;
  users: Names;
}

/** Names for a page of the log: one request for its users, one or a few for its applications, none per row. */
export function useAuditNames(entries: Entry[] | undefined): AuditNames {
  const users = distinctIds(entries?.map(({ user_id }) => user_id) ?? []);
  const applications = distinctIds(entries?.map(({ application_id }) => application_id) ?? []);
  // Without them the ids still show, so a failure here is nobody's concern.
  const shared = { staleTime: 60_000, placeholderData: keepPreviousData, retry: false } as const;
  const userNames = useQuery({
    ...shared,
    queryKey: ['audit-user-names', users],
    queryFn: ({ signal }) => readUsers(users, signal),
    enabled: users.length > 0,
  });
  const applicationNames = useQuery({
    ...shared,
    queryKey: ['audit-application-names', applications],
    queryFn: ({ signal }) => findNames(applications, (page) => readApplications(page, signal), mostPages),
    enabled: applications.length > 0,
  });
  return { users: userNames.data ?? none, applications: applicationNames.data ?? none };
}
