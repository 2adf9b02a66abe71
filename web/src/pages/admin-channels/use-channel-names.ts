import { useQuery } from '@tanstack/react-query';
import { isAdmin, useUser } from '../../session.ts';
import { allChannelsQuery } from './channels-query.ts';

/** Names of channels where the user may know them, else their numbers. The built-in provider has no channel of its own. */
export function useChannelNames(): (id: number) => string {
  const admin = isAdmin(useUser());
  const channels = useQuery({ ...allChannelsQuery, enabled: admin }).data?.channels ?? [];
  return (id) => (id <= 0 ? 'built in' : (channels.find((channel) => channel.id === id)?.name ?? `channel ${id}`));
}
