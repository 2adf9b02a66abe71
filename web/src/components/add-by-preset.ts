import { get, post, put, type Result } from '../api.ts';
import { type Channel, type Preset, reloadCatalog, switchedOff, switchedOn } from '../catalog.ts';

export type TestResult = Result<'/api/admin/channels/{id}/test', 'post'>;

export interface Added {
  channel: Channel;
  test: TestResult;
  models: number;
  /** How many of these models have no price yet. */
  unpriced: number;
  /** A model that was just enabled, to try. */
  first?: string | undefined;
}

export const testChannel = (id: number): Promise<TestResult> => post('/api/admin/channels/{id}/test', { path: { id } });

export const syncModels = (id: number) => post('/api/admin/channels/{id}/sync-models', { path: { id } });

export const switchChannel = (id: number, status: Channel['status']): Promise<Channel> =>
  put('/api/admin/channels/{id}', { path: { id }, body: { status } });

async function countModels(channelId: number): Promise<number> {
  const query = { channel_id: channelId, page: 1, page_size: 1 };
  return (await get('/api/admin/provider-models', { query })).total;
}

/** Tests a channel with the models of its preset, or else with those that the provider lists. */
async function testAndFind(channel: Channel): Promise<Added> {
  const nothing = { channel, models: 0, unpriced: 0 };
  const test = await testChannel(channel.id);
  const models = await countModels(channel.id);
  if (!test.ok || models > 0) return { ...nothing, test, models };
  const synced = await syncModels(channel.id).catch(() => undefined);
  if (!synced || synced.added.length === 0) return { ...nothing, test };
  // So far the test only read the model list, which many providers serve without a valid key: test again with a model.
  const asked = await testChannel(channel.id);
  return { channel, test: asked, models: synced.added.length, unpriced: synced.unpriced };
}

/** Tests a channel that was just added, and enables it if it answers. Until then it gets no requests. */
export async function tryOut(channel: Channel): Promise<Added> {
  try {
    const added = await testAndFind(channel);
    if (!added.test.ok || channel.status === switchedOn) return added;
    return { ...added, channel: await switchChannel(channel.id, switchedOn) };
  } finally {
    await reloadCatalog();
  }
}

/**
 * `secret` is the key, or the address if the provider needs no key. An existing channel is updated, not created again.
 */
export function saveByPreset(
  create: typeof post,
  { id, needs_key }: Preset,
  secret: string,
  before: Channel | undefined,
): Promise<Channel> {
  const given = needs_key ? { credential: secret } : secret === '' ? {} : { base_url: secret };
  if (before) return put('/api/admin/channels/{id}', { path: { id: before.id }, body: given });
  return create('/api/admin/channels', { body: { preset: id, status: switchedOff, ...given } });
}

/** Guesses the vendor from the key's prefix; null if the prefix is not unique to one vendor. */
export const guessPreset = (presets: readonly Pick<Preset, 'id' | 'key_prefixes'>[], key: string): string | null =>
  presets.find(({ key_prefixes }) => key_prefixes.some((prefix) => key.trim().startsWith(prefix)))?.id ?? null;
