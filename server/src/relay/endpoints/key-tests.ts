import { AppError } from '../../lib/errors.ts';
import { candidatesOf } from '../../routing/catalog/alias-preview.ts';
import { type CatalogContext, getChannel } from '../../routing/catalog/channels.ts';
import { listChannels } from '../../routing/catalog/store/channels.ts';
import { findCredential } from '../../routing/catalog/store/credentials.ts';
import type { OwnKeyRecord } from '../../routing/store/own-keys.ts';
import type { RelayDeps } from '../deps.ts';
import { UpstreamFault } from '../wire/conversation.ts';
import { type Asker, type ChannelTest, messageOf, tryChannel } from './channel-tools.ts';

/** One credential of several that a channel has. */
export async function testCredential(
  deps: RelayDeps,
  room: CatalogContext,
  { id, credential_id }: { id: number; credential_id: number },
  asker: Asker,
): Promise<ChannelTest> {
  const record = await getChannel(room, id);
  const credential = await findCredential(room.db, id, credential_id);
  if (!credential) throw new AppError('not_found', `channel ${id} has no credential ${credential_id}`);
  return tryChannel(deps, room, { ...record, sealedCredential: credential.sealed }, asker, messageOf);
}

/** Whoever asks belongs to a group, which decides where their requests go. */
export type OwnKeyAsker = Asker & { principal: { user: { group: string } } };

/**
 * A key that somebody brought along, at a channel of its provider that requests could go to: what others are served by may be run
 * by somebody who is to see neither request nor key.
 */
export async function testOwnKey(
  deps: RelayDeps,
  room: CatalogContext,
  { provider, sealed }: OwnKeyRecord,
  asker: OwnKeyAsker,
): Promise<ChannelTest> {
  const id = channelFor(deps, provider, asker.principal.user.group);
  const channel = (await listChannels(room.db)).find((one) => one.id === id);
  if (!channel) throw new AppError('conflict', `No channel currently serves models of '${provider}'.`);
  return tryChannel(deps, room, { ...channel, sealedCredential: sealed }, asker, messageForOwner);
}

/** As requests go: best ranked first, and never a video, which is asked for with the channel's own key. */
function channelFor({ catalog }: Pick<RelayDeps, 'catalog'>, provider: string, group: string): number | undefined {
  let other: number | undefined;
  for (const { id } of catalog.models(group))
    for (const { channel, type } of candidatesOf(catalog, id, group)) {
      if (channel.provider !== provider || type === 'video') continue;
      // A chat tells more than a list of models, which is often open to everybody.
      if (type === 'chat') return channel.id;
      other ??= channel.id;
    }
  return other;
}

/** The provider's own words are for whose key it is; where it is reached is the operator's affair. */
const messageForOwner = (error: unknown, credential: string): string =>
  error instanceof UpstreamFault ? messageOf(error, credential) : 'The provider did not respond.';
