import { get, post, type Result } from '../api.ts';
import { type Channel, type Preset, reloadCatalog } from '../catalog.ts';

export type TestResult = Result<'/api/admin/channels/{id}/test', 'post'>;

export interface Added {
  channel: Channel;
  test: TestResult;
  models: number;
}

export const testChannel = (id: number): Promise<TestResult> => post('/api/admin/channels/{id}/test', { path: { id } });

export const syncModels = (id: number) => post('/api/admin/channels/{id}/sync-models', { path: { id } });

export async function countModels(channelId: number): Promise<number> {
  const query = { channel_id: channelId, page: 1, page_size: 1 };
  return (await get('/api/admin/provider-models', { query })).total;
}

/** Tries a channel that was just added, and finds its models where none came with the preset. */
export async function tryOut(channel: Channel): Promise<Added> {
  const test = await testChannel(channel.id);
  const known = await countModels(channel.id);
  if (test.ok && known === 0) await syncModels(channel.id).catch(() => undefined);
  const models = known === 0 && test.ok ? await countModels(channel.id) : known;
  await reloadCatalog();
  return { channel, test, models };
}

/** `secret` is the key, or the address where the provider asks for none. */
export async function addByPreset(create: typeof post, { id, needs_key }: Preset, secret: string): Promise<Added> {
  const body = needs_key ? { preset: id, credential: secret } : { preset: id, ...(secret && { base_url: secret }) };
  return tryOut(await create('/api/admin/channels', { body }));
}

/** Whose key this is, judged by how it begins; null when several vendors write keys like it. */
export const guessPreset = (presets: readonly Pick<Preset, 'id' | 'key_prefixes'>[], key: string): string | null =>
  presets.find(({ key_prefixes }) => key_prefixes.some((prefix) => key.trim().startsWith(prefix)))?.id ?? null;
