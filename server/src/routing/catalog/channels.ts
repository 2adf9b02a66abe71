import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { fitsKind } from '../../lib/google-account.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Vendor } from '../../lib/vendors/vendor.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Catalog } from './catalog.ts';
import { findPreset, needsKey } from './presets.ts';
import { pricesOf } from './price-list.ts';
import type { ProviderModelSeed } from './seed.ts';
import { sharedGroup } from './snapshot.ts';
import * as store from './store/channels.ts';
import { insertProviderModels } from './store/provider-models.ts';
import { enabled } from './store/tables.ts';

/** What changes to the catalog need. */
export interface CatalogContext {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  catalog: Pick<Catalog, 'changed'>;
}

export type ChannelInput = Omit<store.ChannelFields, 'sealedCredential'> & { credential: string };

export const channelDefaults = {
  credential: '',
  priority: 0,
  weight: 1,
  status: enabled,
  models: [] as string[],
  group: sharedGroup,
  timeoutMs: 120_000,
};

/** Throws if the key file of a service account is given to a channel kind that would send it as a plain key. */
export function refuseUnfit(kind: string, credential: string): void {
  if (fitsKind(kind, credential)) return;
  const message = 'credential: only Vertex AI channels use the key file of a service account';
  throw new AppError('invalid_value', message, { param: 'credential' });
}

/** An empty credential stays empty: some upstreams need none. */
const sealed = (sealer: Sealer, credential: string): string => (credential === '' ? '' : sealer.seal(credential));

/** Inserts the channel and its models in one transaction. */
export async function addChannel(
  room: CatalogContext,
  { credential, ...fields }: ChannelInput,
  seeds: readonly ProviderModelSeed[] = [],
): Promise<store.ChannelRecord> {
  refuseUnfit(fields.kind, credential);
  const channel = await room.db
    .transaction()
    .execute((tx) =>
      insertWithModels(tx, room, { ...fields, sealedCredential: sealed(room.sealer, credential) }, seeds),
    );
  await room.catalog.changed();
  return channel;
}

export async function insertWithModels(
  tx: Db,
  { clock }: Pick<CatalogContext, 'clock'>,
  fields: store.ChannelFields,
  seeds: readonly ProviderModelSeed[],
): Promise<store.ChannelRecord> {
  const now = nowSeconds(clock);
  const channel = await store.insertChannel(tx, fields, now);
  const models = seeds.map((seed) => ({
    ...seed,
    channelId: channel.id,
    status: enabled,
    capabilities: seed.capabilities ?? {},
  }));
  await insertProviderModels(tx, models, now);
  return channel;
}

/** Creates a channel from a preset: every field may be overridden, the models come from the price list. */
export async function addPresetChannel(
  room: CatalogContext,
  presetId: string,
  given: Partial<ChannelInput>,
): Promise<store.ChannelRecord> {
  const preset = findPreset(presetId);
  if (!preset) throw new AppError('invalid_value', `preset: there is no preset "${presetId}"`, { param: 'preset' });
  if (needsKey(preset) && !given.credential) {
    throw new AppError('invalid_value', `credential: ${preset.name} requires a key`, { param: 'credential' });
  }
  return addChannel(room, { ...fromPreset(preset), ...given }, pricesOf(preset.id));
}

export const fromPreset = (preset: Vendor): ChannelInput => ({
  ...channelDefaults,
  name: preset.name,
  provider: preset.id,
  kind: preset.kind,
  baseUrl: preset.baseUrl,
});

/** Fields that are not given stay; a credential of '' removes it. */
export async function changeChannel(
  room: CatalogContext,
  id: number,
  { credential, ...given }: Partial<ChannelInput>,
): Promise<store.ChannelRecord> {
  const change = credential === undefined ? given : { ...given, sealedCredential: sealed(room.sealer, credential) };
  const channel = await store.updateChannel(
    room.db,
    id,
    (old, furtherCredentials) => {
      const fields = { ...old, ...change };
      if (furtherCredentials > 0) refuseMovedFurther(old, fields);
      if (credential === undefined) refuseMovedCredential(old, fields);
      else refuseUnfit(fields.kind, credential);
      if (fields.kind !== 'demo' && fields.baseUrl === '') {
        throw new AppError('invalid_value', 'base_url: is required', { param: 'base_url' });
      }
      return fields;
    },
    nowSeconds(room.clock),
  );
  if (!channel) throw noChannel(id);
  await room.catalog.changed();
  return channel;
}

/**
 * A credential was given for one address. If it could be moved to another, anyone who may edit a channel could steal
 * it.
 */
function refuseMovedCredential(old: store.ChannelRecord, fields: store.ChannelFields): void {
  if (old.sealedCredential === '' || placeOf(old) === placeOf(fields)) return;
  const what = 'a stored credential is not used for another address, kind or provider';
  throw new AppError('invalid_value', `credential: enter it again, because ${what}; "" removes it`, {
    param: 'credential',
  });
}

/** Only one of several credentials can be entered again together with the channel. */
function refuseMovedFurther(old: store.ChannelRecord, fields: store.ChannelFields): void {
  if (placeOf(old) === placeOf(fields)) return;
  const what = 'credentials are not used for another address, kind or provider';
  throw new AppError('invalid_value', `base_url: remove the other credentials first, because ${what}`, {
    param: 'base_url',
  });
}

/** Who receives the credential, and in which form. */
const placeOf = ({ kind, provider, baseUrl }: store.ChannelFields): string =>
  [kind, provider, URL.parse(baseUrl)?.origin ?? baseUrl].join(' ');

export async function removeChannel(room: CatalogContext, id: number): Promise<void> {
  if (!(await store.deleteChannel(room.db, id))) throw noChannel(id);
  await room.catalog.changed();
}

export async function getChannel(room: Pick<CatalogContext, 'db'>, id: number): Promise<store.ChannelRecord> {
  const channel = await store.findChannel(room.db, id);
  if (!channel) throw noChannel(id);
  return channel;
}

export const noChannel = (id: number): AppError => new AppError('not_found', `there is no channel ${id}`);
