import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { until } from '../../lib/until.fixture.ts';
import { engines } from '../../platform/db/engines.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import { type CatalogOptions, openCatalog } from './catalog.ts';
import { addChannel, addPresetChannel, changeChannel, channelDefaults, removeChannel } from './channels.ts';
import { ensureEnvChannels } from './env-channels.ts';
import { addProviderModel, changeProviderModel, removeProviderModel, syncProviderModels } from './provider-models.ts';
import { builtInSeeds } from './seed.ts';
import { listChannels } from './store/channels.ts';
import { listProviderModels } from './store/provider-models.ts';

const sealer = openSealer({ keys: [{ id: 'test', key: new Uint8Array(32).fill(7) }] });
const clock = manualClock();
const builtIn = builtInSeeds([
  { id: 'demo/chat', name: 'Demo', type: 'chat', context_length: 8192, max_output_tokens: 1024, capabilities: {} },
]);
const own = {
  ...channelDefaults,
  name: 'own',
  provider: 'own',
  kind: 'openai' as const,
  baseUrl: 'http://127.0.0.1/v1',
};
const free = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };
const model = (channelId: number, modelId: string, extra: object = {}) => ({
  ...{ channelId, modelId, modelName: modelId, type: 'chat' as const, ...free },
  ...{ contextLength: 1000, maxOutputTokens: 100, status: 1, qualityScore: 1, capabilities: {} },
  ...extra,
});

describe.each(engines)('catalog on $name', (engine) => {
  let opened: OpenDb & { drop(): Promise<void> };
  beforeAll(async () => {
    opened = await engine.open();
  });
  afterAll(() => opened.drop());

  const room = async (options: Partial<CatalogOptions> = {}) => {
    const shared = options.shared ?? memoryShared();
    const catalog = await openCatalog({ db: opened.db, sealer, demo: 'auto', builtIn, ...options, shared });
    return { db: opened.db, sealer, clock, catalog };
  };
  const clear = async () => {
    await opened.db.deleteFrom('provider_models').execute();
    await opened.db.deleteFrom('channels').execute();
  };

  test('what all groups see is prepared once, also for the group that everybody is in', async () => {
    await clear();
    const r = await room();
    const { id } = await addChannel(r, own);
    await addProviderModel(r, model(id, 'own/one'));
    expect(r.catalog.models('default')).toBe(r.catalog.models('without channels'));
    const { id: vip } = await addChannel(r, { ...own, name: 'vip', group: 'vip' });
    await addProviderModel(r, model(vip, 'own/two'));
    expect(r.catalog.models('vip').map((one) => one.id)).toEqual(['own/one', 'own/two']);
    expect(r.catalog.models('default').map((one) => one.id)).toEqual(['own/one']);
    await r.catalog.close();
  });

  test('each write decrypts only what it brought, however many channels there are', async () => {
    await clear();
    let decrypted = 0;
    const counting = {
      ...sealer,
      open: (sealed: string) => {
        decrypted += 1;
        return sealer.open(sealed);
      },
    };
    const r = await room({ sealer: counting });
    const made = [];
    for (let n = 0; n < 30; n++) made.push(await addChannel(r, { ...own, name: `own ${n}`, credential: `sk-${n}` }));
    expect(decrypted).toBe(30);
    await addProviderModel(r, model(made[0]!.id, 'own/one'));
    await changeChannel(r, made[1]!.id, { priority: 3 });
    await removeChannel(r, made[2]!.id);
    expect(decrypted).toBe(30);
    await changeChannel(r, made[0]!.id, { credential: 'sk-new' });
    expect(decrypted).toBe(31);
    expect(r.catalog.candidatesFor('own/one', 'chat', 'default')[0]!.channel.credential).toBe('sk-new');
    await r.catalog.close();
  });

  test('a preset fills in the models; the credential is encrypted at rest and readable in the snapshot', async () => {
    await clear();
    const r = await room();
    expect(r.catalog.candidatesFor('demo/chat', 'chat', 'default')).toHaveLength(1);
    const channel = await addPresetChannel(r, 'anthropic', { credential: 'sk-ant-secret' });
    const [stored] = await listChannels(opened.db);
    expect(stored!.sealedCredential).not.toContain('secret');
    const [candidate] = r.catalog.candidatesFor('anthropic/claude-opus-5-5', 'chat', 'default');
    expect(candidate).toMatchObject({
      key: `anthropic|anthropic/claude-opus-5-5|${channel.id}`,
      modelName: 'claude-opus-5-5',
      price: { promptPrice: 4, completionPrice: 20, requestPrice: 0 },
      channel: { kind: 'anthropic', credential: 'sk-ant-secret' },
    });
    expect(r.catalog.candidatesFor('demo/chat', 'chat', 'default')).toEqual([]);
    expect(r.catalog.candidatesFor('anthropic/claude-opus-5-5', 'image', 'default')).toEqual([]);
    await changeChannel(r, channel.id, { status: 2 });
    expect(r.catalog.candidatesFor('anthropic/claude-opus-5-5', 'chat', 'default')).toEqual([]);
    expect(r.catalog.builtInActive()).toBe(true);
    await r.catalog.close();
  });

  test('the built-in provider follows DEMO_PROVIDER', async () => {
    await clear();
    const r = await room();
    const channel = await addChannel(r, { ...own, models: [] });
    const active = async (demo: 'auto' | 'on' | 'off') => {
      const { catalog } = await room({ demo });
      await catalog.close();
      return catalog.builtInActive() && catalog.models('default').some((one) => one.id === 'demo/chat');
    };
    // A channel without models does not replace it.
    expect([await active('on'), await active('auto'), await active('off')]).toEqual([true, true, false]);
    const added = await addProviderModel(r, model(channel.id, 'acme/large', { status: 2 }));
    expect(await active('auto')).toBe(true);
    await changeProviderModel(r, added.id, { status: 1 });
    expect([await active('on'), await active('auto'), await active('off')]).toEqual([true, false, false]);
    await removeProviderModel(r, added.id);
    await changeChannel(r, channel.id, { models: ['acme/by-name'] });
    expect(await active('auto')).toBe(false);
    await removeChannel(r, channel.id);
    expect([await active('on'), await active('auto'), await active('off')]).toEqual([true, true, false]);
    await r.catalog.close();
  });

  test('candidates are sorted by priority, then weight, in a stable array', async () => {
    await clear();
    const r = await room();
    const ids: number[] = [];
    for (const [priority, weight] of [
      [1, 1],
      [9, 1],
      [9, 5],
    ] as const) {
      const channel = await addChannel(r, { ...own, priority, weight });
      ids.push(channel.id);
      await addProviderModel(r, model(channel.id, 'acme/large', { promptPrice: priority }));
    }
    const found = r.catalog.candidatesFor('acme/large', 'chat', 'default');
    expect(found.map((one) => one.channel.id)).toEqual([ids[2]!, ids[1]!, ids[0]!]);
    expect(r.catalog.candidatesFor('acme/large', 'chat', 'default')).toBe(found);
    expect(Object.isFrozen(found)).toBe(true);
    expect(r.catalog.model('acme/large', 'default')).toMatchObject({ ownedBy: 'acme', price: { promptPrice: 1 } });
    expect(r.catalog.resolve('large', 'default')).toBe('acme/large');
    expect(r.catalog.resolve('larger', 'default')).toBeNull();
    await r.catalog.close();
  });

  test('channels of a group serve only its members; the default group serves everyone', async () => {
    await clear();
    const r = await room();
    const vip = await addChannel(r, { ...own, group: 'vip' });
    const all = await addChannel(r, own);
    await addProviderModel(r, model(vip.id, 'acme/large'));
    await addProviderModel(r, model(all.id, 'acme/large'));
    await addProviderModel(r, model(vip.id, 'acme/vip'));
    const count = (id: string, group: string) => r.catalog.candidatesFor(id, 'chat', group).length;
    expect([count('acme/large', 'vip'), count('acme/large', 'default'), count('acme/large', 'other')]).toEqual([
      2, 1, 1,
    ]);
    expect([count('acme/vip', 'vip'), count('acme/vip', 'default')]).toEqual([1, 0]);
    expect(r.catalog.models('other').map((one) => one.id)).toEqual(['acme/large']);
    await r.catalog.close();
  });

  test('legacy channels serve only names without an enabled provider model, at the default price', async () => {
    await clear();
    let price = 0;
    const r = await room({ defaultPrice: () => price });
    const low = await addChannel(r, { ...own, models: ['plain', 'acme/large'], priority: 1 });
    const high = await addChannel(r, { ...own, models: ['plain'], priority: 5 });
    const row = await addProviderModel(r, model(low.id, 'acme/large'));
    const channelsFor = (name: string) =>
      r.catalog.legacyCandidatesFor(name, 'chat', 'default').map(({ channel }) => channel.id);
    expect(channelsFor('plain')).toEqual([high.id, low.id]);
    expect(channelsFor('acme/large')).toEqual([]);
    await changeProviderModel(r, row.id, { status: 2 });
    expect(channelsFor('acme/large')).toEqual([low.id]);
    const before = r.catalog.legacyCandidatesFor('plain', 'embedding', 'default');
    expect(before[0]).toMatchObject({ modelName: 'plain', type: 'embedding', price: free });
    expect(r.catalog.legacyCandidatesFor('plain', 'embedding', 'default')).toBe(before);
    price = 3;
    expect(r.catalog.legacyCandidatesFor('plain', 'embedding', 'default')[0]!.price.promptPrice).toBe(3);
    expect(r.catalog.models('default').map((one) => one.id)).toEqual(['acme/large', 'plain']);
    await r.catalog.close();
  });

  test('another process sees a change by message, or by polling if messages are lost', async () => {
    await clear();
    const shared = memoryShared();
    const [here, there] = [await room({ shared }), await room({ shared })];
    const deaf = await room({ pollMs: 20 });
    const channel = await addChannel(here, { ...own, models: ['plain'] });
    const sees = (r: typeof here) => r.catalog.legacyCandidatesFor('plain', 'chat', 'default').length === 1;
    expect(sees(here)).toBe(true);
    await until('the message is heard', () => sees(there));
    await until('it is found by polling', () => sees(deaf));
    expect(there.catalog.version).toBe(here.catalog.version);
    await removeChannel(here, channel.id);
    for (const r of [here, there, deaf]) await r.catalog.close();
  });

  test('concurrent changes all arrive in the snapshot', async () => {
    await clear();
    const r = await room();
    const channel = await addChannel(r, own);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2
          ? addProviderModel(r, model(channel.id, `acme/m${i}`))
          : changeChannel(r, channel.id, i % 4 ? { weight: 7 } : { priority: 3 }),
      ),
    );
    expect(r.catalog.models('default')).toHaveLength(10);
    expect(r.catalog.candidatesFor('acme/m1', 'chat', 'default')[0]!.channel).toMatchObject({ weight: 7, priority: 3 });
    await r.catalog.close();
  });

  test('a channel whose credential was encrypted with a lost key is skipped and reported', async () => {
    await clear();
    const r = await room();
    await addChannel(r, { ...own, credential: 'sk-secret', models: ['plain'] });
    const troubles: string[] = [];
    const other = openSealer({ keys: [{ id: 'new', key: new Uint8Array(32).fill(8) }] });
    const { catalog } = await room({ sealer: other, onTrouble: (message) => troubles.push(message) });
    expect(catalog.legacyCandidatesFor('plain', 'chat', 'default')).toEqual([]);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).not.toContain('secret');
    await r.catalog.close();
    await catalog.close();
  });

  test('environment keys create their channels once, even if two processes start together', async () => {
    await clear();
    const env = {
      OPENAI_API_KEY: 'sk-1',
      OLLAMA_BASE_URL: 'http://gpu:11434/',
      GROQ_API_KEY: ' ',
      MISTRAL_API_KEY: undefined,
    };
    const made = await Promise.all([1, 2].map(() => ensureEnvChannels(opened.db, env, { sealer, clock })));
    expect(made.flat().sort()).toEqual(['Ollama', 'OpenAI']);
    expect(await ensureEnvChannels(opened.db, env, { sealer, clock })).toEqual([]);
    const { catalog } = await room();
    expect(catalog.candidatesFor('openai/gpt-6.1-sol', 'chat', 'default')[0]!.channel.credential).toBe('sk-1');
    expect(catalog.candidatesFor('ollama/llama3.2', 'chat', 'default')[0]!.channel.baseUrl).toBe('http://gpu:11434/v1');
    await catalog.close();
  });

  test('sync adds new models, keeps prices, and leaves models without a price disabled', async () => {
    await clear();
    const r = await room();
    const channel = await addChannel(r, { ...own, provider: 'openai' });
    await addProviderModel(r, model(channel.id, 'mine', { modelName: 'gpt-5.4', promptPrice: 99 }));
    await addProviderModel(r, model(channel.id, 'openai/gone', { modelName: 'gone' }));
    const names = [
      'gpt-5.4',
      'gpt-6-luna',
      'gpt-6-luna-2026-09-22',
      'brand-new',
      'priced-new',
      'text-embedding-3-small',
    ];
    const discovered = names.map((name) =>
      name === 'priced-new' ? { name, price: { promptPrice: 1, completionPrice: 2, requestPrice: 0 } } : { name },
    );
    const result = await syncProviderModels(r, channel, discovered, { missing: 'disable' });
    expect(result).toMatchObject({ unpriced: 1, kept: 1 });
    expect(result.missing.map((one) => one.modelName)).toEqual(['gone']);
    const rows = new Map((await listProviderModels(opened.db)).map((row) => [row.modelName, row]));
    expect(rows.get('gpt-5.4')).toMatchObject({ modelId: 'mine', promptPrice: 99, status: 1 });
    expect(rows.get('gpt-6-luna')).toMatchObject({ modelId: 'openai/gpt-6-luna', promptPrice: 0.1, status: 1 });
    expect(rows.get('gpt-6-luna-2026-09-22')).toMatchObject({
      modelId: 'openai/gpt-6-luna-2026-09-22',
      promptPrice: 0.1,
    });
    expect(rows.get('brand-new')).toMatchObject({ status: 2, type: 'chat' });
    expect(rows.get('priced-new')).toMatchObject({ status: 1, completionPrice: 2 });
    expect(rows.get('text-embedding-3-small')).toMatchObject({ type: 'embedding', promptPrice: 0.02 });
    expect(rows.get('gone')!.status).toBe(2);
    const again = await syncProviderModels(r, channel, discovered, { missing: 'disable' });
    expect(again).toMatchObject({ added: [], kept: 6, missing: [] });
    await r.catalog.close();
  });

  test('sync updates the capabilities of existing models, but not those set by an operator', async () => {
    await clear();
    const r = await room();
    const channel = await addChannel(r, { ...own, provider: 'openai' });
    const capabilities = { responses: false, note: 'mine' };
    await addProviderModel(r, model(channel.id, 'old', { modelName: 'gpt-5.4' }));
    await addProviderModel(r, model(channel.id, 'set', { modelName: 'gpt-5', capabilities }));
    const names = ['gpt-5.4', 'gpt-5', 'gpt-6-sol-2026-09-01', 'gpt-4.1', 'o9-new', 'gpt-audio', 'gpt-image-2'];
    const discovered = names.map((name) => ({ name }));
    await syncProviderModels(r, channel, discovered);
    const both = { responses: true, tools_in_responses: true };
    const flags = (await listProviderModels(opened.db)).map((row) => [row.modelName, row.capabilities]);
    expect(Object.fromEntries(flags)).toEqual({
      'gpt-5.4': both,
      'gpt-5': capabilities,
      'gpt-6-sol-2026-09-01': both,
      'gpt-4.1': { responses: true },
      'o9-new': { responses: true },
      'gpt-audio': {},
      'gpt-image-2': {},
    });
    await r.catalog.close();
  });
});
