import { AppError } from '../../lib/errors.ts';
import { type CatalogRoom, getChannel } from '../../routing/catalog/channels.ts';
import { listChannels } from '../../routing/catalog/store/channels.ts';
import { findCredential } from '../../routing/catalog/store/credentials.ts';
import { enabled } from '../../routing/catalog/store/tables.ts';
import type { OwnKeyRecord } from '../../routing/store/own-keys.ts';
import type { RelayDeps } from '../deps.ts';
import { UpstreamFault } from '../wire/conversation.ts';
import { type Asker, type ChannelTest, messageOf, tryChannel } from './channel-tools.ts';

/** One credential of several that a channel has. */
export async function testCredential(
  deps: RelayDeps,
  room: CatalogRoom,
  { id, credential_id }: { id: number; credential_id: number },
  asker: Asker,
): Promise<ChannelTest> {
  const record = await getChannel(room, id);
  const credential = await findCredential(room.db, id, credential_id);
  if (!credential) throw new AppError('not_found', `channel ${id} has no credential ${credential_id}`);
  return tryChannel(deps, room, { ...record, sealedCredential: credential.sealed }, asker, messageOf);
}

/** A key that somebody brought along, at a channel of its provider that requests could go to. */
export async function testOwnKey(
  deps: RelayDeps,
  room: CatalogRoom,
  { provider, sealed }: OwnKeyRecord,
  asker: Asker,
): Promise<ChannelTest> {
  const channels = await listChannels(room.db);
  const channel = channels.find((one) => one.provider === provider && one.status === enabled);
  if (!channel) throw new AppError('conflict', `Nobody serves models of '${provider}' at the moment.`);
  return tryChannel(deps, room, { ...channel, sealedCredential: sealed }, asker, messageForOwner);
}

/** The provider's own words are for whose key it is; where it is reached is the operator's affair. */
const messageForOwner = (error: unknown, credential: string): string =>
  error instanceof UpstreamFault ? messageOf(error, credential) : 'The provider gave no answer.';
