/** Whatever is to be known of a vendor stands in its row; here a row that is in no table shows that the rest follows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { vendorsInReadme, vendorTable } from '../../scripts/vendor-table.ts';
import { readConfig } from './config.ts';
import { manualClock } from './lib/clock.ts';
import { openSealer } from './lib/seal.ts';
import { findVendor } from './lib/vendors/find-vendor.ts';
import { vendors } from './lib/vendors/table.ts';
import { vendorRow } from './lib/vendors/vendor.ts';
import { engines } from './platform/db/engines.fixture.ts';
import type { OpenDb } from './platform/db/open.ts';
import { chatRequestOf } from './relay/providers/openai/request.ts';
import { rewriteChatRequest } from './relay/providers/openai/rewrite.ts';
import { parseMessagesRequest } from './relay/wire/messages/request.ts';
import { ensureEnvChannels } from './routing/catalog/env-channels.ts';
import { presets, viewPresets } from './routing/catalog/presets.ts';
import { listChannels } from './routing/catalog/store/channels.ts';
import { listProviderModels } from './routing/catalog/store/provider-models.ts';

const acme = vendorRow({
  id: 'acme',
  name: 'Acme',
  baseUrl: 'https://api.acme.example/v1',
  env: 'ACME_API_KEY',
  keyUrl: 'https://acme.example/keys',
  keyPrefixes: ['acme-'],
  models: {
    chat: [['rocket-1', 'Rocket 1', 2, 8, 100_000, 10_000, 0.8]],
    embedding: [['near-1', 'Near 1', 0.1, 8_000]],
    rates: () => ({ cacheRead: 0.25 }),
  },
  maxTokensField: 'max_completion_tokens',
  lacks: ['seed', 'n'],
  mergesSystem: true,
});
const rows = [...vendors, acme];

const sealer = openSealer({ keys: [{ id: 'test', key: new Uint8Array(32).fill(7) }] });
const clock = manualClock();

describe('a new vendor row', () => {
  test('is recognised by name and address', () => {
    expect(findVendor(rows, 'Acme', 'http://127.0.0.1/v1')).toBe(acme);
    expect(findVendor(rows, 'mine', 'https://eu.api.acme.example/v1')).toBe(acme);
    expect(findVendor(vendors, 'Acme', 'https://api.acme.example/v1').id).toBe('compatible');
  });

  test('is a preset, with models and prices', () => {
    expect(viewPresets(rows).find(({ id }) => id === 'acme')).toEqual({
      ...{ id: 'acme', name: 'Acme', kind: 'openai', base_url: 'https://api.acme.example/v1', env: 'ACME_API_KEY' },
      ...{ needs_key: true, key_url: 'https://acme.example/keys', key_prefixes: ['acme-'] },
      models: [
        { model_id: 'acme/rocket-1', name: 'Rocket 1', type: 'chat' },
        { model_id: 'acme/near-1', name: 'Near 1', type: 'embedding' },
      ],
    });
  });

  test('shapes requests to it in both formats', () => {
    const vendor = findVendor(rows, 'acme', '');
    const given = { model: 'x', seed: 1, max_tokens: 5, messages: [{ role: 'developer', content: 'Be brief.' }] };
    const options = { modelName: 'rocket-1', vendor, stream: false, limit: 5 };
    expect(rewriteChatRequest(given, options)).toEqual({
      model: 'rocket-1',
      max_completion_tokens: 5,
      messages: [{ role: 'system', content: 'Be brief.' }],
    });
    expect(() => rewriteChatRequest({ ...given, n: 2 }, options)).toThrow("'n' above 1 is not supported by Acme.");
    const conversation = parseMessagesRequest({
      ...{ model: 'x', max_tokens: 5, top_k: 3, messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(chatRequestOf(conversation, vendor)).not.toHaveProperty('top_k');
    expect(chatRequestOf(conversation, { ...vendor, knowsTopK: true })).toHaveProperty('top_k', 3);
  });

  test('is a line of the README', () => {
    const [line] = vendorTable(rows)
      .split('\n')
      .filter((one) => !vendorTable(vendors).includes(one));
    expect(line).toBe('| `ACME_API_KEY` | [Acme](https://acme.example/keys) | chat, embedding |');
  });
});

describe.each(engines)('vendor variables on $name', (engine) => {
  let opened: OpenDb & { drop(): Promise<void> };
  beforeAll(async () => {
    opened = await engine.open();
  });
  afterAll(() => opened.drop());

  test('each variable creates its channels and their models', async () => {
    const addresses = rows.filter(({ env, keyUrl }) => env && !keyUrl).map(({ env }) => [env, 'http://gpu:11434']);
    const keys = rows.filter(({ env, keyUrl }) => env && keyUrl).map(({ env }) => [env, `key of ${env}`]);
    const { providerKeys } = readConfig(Object.fromEntries([...addresses, ...keys]), rows);
    await ensureEnvChannels(opened.db, providerKeys, { sealer, clock }, rows);
    const channels = await listChannels(opened.db);
    expect(channels.map(({ provider }) => provider)).toEqual([...presets.map(({ id }) => id), 'acme']);
    const made = channels.at(-1)!;
    expect(made).toMatchObject({ name: 'Acme', kind: 'openai', baseUrl: 'https://api.acme.example/v1' });
    expect(sealer.open(made.sealedCredential)).toBe('key of ACME_API_KEY');
    const models = await listProviderModels(opened.db);
    expect(models.find(({ modelId }) => modelId === 'acme/rocket-1')).toMatchObject({
      ...{ channelId: made.id, modelName: 'rocket-1', promptPrice: 2, completionPrice: 8, parts: { cacheRead: 0.5 } },
    });
    for (const { id } of channels) expect(models.some(({ channelId }) => channelId === id)).toBe(true);
  });
});

test('an invalid address is reported with its variable', () => {
  expect(() => readConfig({ OLLAMA_BASE_URL: 'gpu' })).toThrow('OLLAMA_BASE_URL must be an http or https address');
  expect(readConfig({ ACME_API_KEY: 'k' }).providerKeys).toEqual({});
});

test('the vendors in the README match the table', () => {
  expect(vendorsInReadme()).toBe(vendorTable(vendors));
});
