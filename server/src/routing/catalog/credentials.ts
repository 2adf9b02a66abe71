import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { type CatalogContext, getChannel, noChannel, refuseUnfit } from './channels.ts';
import * as store from './store/credentials.ts';
import { enabled } from './store/tables.ts';

export type CredentialInput = Omit<store.CredentialFields, 'sealed'> & { credential: string };

export const credentialDefaults = {
  weight: 1,
  status: enabled,
  requestsPerMinute: null,
  tokensPerMinute: null,
  spendPerDay: null,
};

export async function credentialsOf(
  room: Pick<CatalogContext, 'db'>,
  channelId: number,
): Promise<store.CredentialRecord[]> {
  await getChannel(room, channelId);
  return store.listCredentials(room.db, channelId);
}

/** Also for a channel without any credential. */
export async function addCredential(
  room: CatalogContext,
  channelId: number,
  { credential, ...fields }: CredentialInput,
): Promise<store.CredentialRecord> {
  refuseUnfit((await getChannel(room, channelId)).kind, credential);
  const given = { ...fields, sealed: room.sealer.seal(credential) };
  const added = await store.insertCredential(room.db, channelId, given, nowSeconds(room.clock));
  if (added === 'no_channel') throw noChannel(channelId);
  if (added === 'too_many')
    throw new AppError('conflict', `a channel can have at most ${store.mostCredentials} credentials`);
  await room.catalog.changed();
  return added;
}

/** Fields that are not given stay. */
export async function changeCredential(
  room: CatalogContext,
  channelId: number,
  id: number,
  { credential, ...given }: Partial<CredentialInput>,
): Promise<store.CredentialRecord> {
  if (credential !== undefined) refuseUnfit((await getChannel(room, channelId)).kind, credential);
  const sealed = credential === undefined ? undefined : room.sealer.seal(credential);
  const changed = await store.updateCredential(
    room.db,
    channelId,
    id,
    (old) => ({ ...old, ...given, sealed: sealed ?? old.sealed }),
    nowSeconds(room.clock),
  );
  if (!changed) throw noCredential(channelId, id);
  await room.catalog.changed();
  return changed;
}

export async function removeCredential(room: CatalogContext, channelId: number, id: number): Promise<void> {
  if (!(await store.deleteCredential(room.db, channelId, id))) throw noCredential(channelId, id);
  await room.catalog.changed();
}

const noCredential = (channelId: number, id: number): AppError =>
  new AppError('not_found', `channel ${channelId} has no credential ${id}`);
