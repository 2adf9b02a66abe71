import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get } from '../api.ts';
import { allChannelsQuery } from '../catalog.ts';
import { modelsQuery } from '../models.ts';
import { isAdmin, keysQuery, useUser } from '../session.ts';
import { applicationEntries, channelEntries, keyEntries, modelEntries, pageEntries, userEntries } from './entries.ts';
import type { Entry } from './find.ts';

/** The largest page the API returns. */
const applicationsQuery = {
  queryKey: ['applications', 'palette'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    get('/api/oauth2/applications', { query: { page: 1, page_size: 100 }, signal }),
};

/** There may be any number of users, so the service searches them, after typing pauses. */
const usersQuery = (q: string) => ({
  queryKey: ['users', 'palette', q],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    get('/api/admin/users', { query: { page: 1, page_size: 8, q }, signal }),
  placeholderData: keepPreviousData,
});

/** Everything this user can navigate to. Lists that failed to load are left out. */
export function useEntries(query: string): Entry[] {
  const user = useUser();
  const admin = isAdmin(user);
  const [typed] = useDebouncedValue(query.trim(), 250);
  const models = useQuery(modelsQuery).data ?? [];
  const keys = useQuery(keysQuery).data ?? [];
  const applications = useQuery(applicationsQuery).data?.applications ?? [];
  const channels = useQuery({ ...allChannelsQuery, enabled: admin }).data?.channels ?? [];
  const users = useQuery({ ...usersQuery(typed), enabled: admin && typed.length > 1 }).data?.users ?? [];
  return [
    ...pageEntries(user),
    ...applicationEntries(applications),
    ...keyEntries(keys),
    ...modelEntries(models),
    ...channelEntries(channels),
    ...userEntries(typed.length > 1 ? users : []),
  ];
}
