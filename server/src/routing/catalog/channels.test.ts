import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { manualClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { engines } from '../../platform/db/engines.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import {
  addChannel,
  type CatalogContext,
  type ChannelInput,
  changeChannel,
  channelDefaults,
  getChannel,
} from './channels.ts';

const sealer = openSealer({ keys: [{ id: 'test', key: new Uint8Array(32).fill(7) }] });
const secret = 'sk-0123456789-topsecret';
const own: ChannelInput = {
  ...channelDefaults,
  name: 'Own',
  provider: 'openai',
  kind: 'openai',
  baseUrl: 'http://127.0.0.1:8080/v1',
  credential: secret,
};

/** Changes that would send the stored credential elsewhere. */
const elsewhere: Partial<ChannelInput>[] = [
  { baseUrl: 'https://collector.example/v1' },
  { baseUrl: 'https://127.0.0.1:8080/v1' },
  { baseUrl: 'http://127.0.0.1:8081/v1' },
  { baseUrl: 'http://127.0.0.1/v1' },
  { baseUrl: 'http://localhost:8080/v1' },
  { baseUrl: 'http://127.0.0.1.collector.example:8080/v1' },
  { kind: 'anthropic' },
  { kind: 'openrouter' },
  { kind: 'demo' },
  { kind: 'demo', baseUrl: '' },
  { provider: 'azure' },
  { name: 'Same', weight: 3, baseUrl: 'https://collector.example/v1' },
];

const stays: Partial<ChannelInput>[] = [
  { baseUrl: 'http://127.0.0.1:8080/v2' },
  { baseUrl: own.baseUrl, kind: own.kind, provider: own.provider, name: 'Renamed' },
  { status: 2, priority: 3, models: ['a'], group: 'vip', timeoutMs: 5_000 },
];

describe.each(engines)('the stored credential of a channel on $name', (engine) => {
  let opened: OpenDb & { drop(): Promise<void> };
  let room: CatalogContext;
  beforeAll(async () => {
    opened = await engine.open();
    room = { db: opened.db, sealer, clock: manualClock(), catalog: { changed: async () => {} } };
  });
  afterAll(() => opened.drop());

  const credentialOf = async (id: number) => {
    const { sealedCredential } = await getChannel(room, id);
    return sealedCredential === '' ? '' : sealer.open(sealedCredential);
  };

  test.each(elsewhere)('is not reused for %j', async (change) => {
    const before = await addChannel(room, own);
    const moving = changeChannel(room, before.id, change);
    await expect(moving).rejects.toMatchObject({
      code: 'invalid_value',
      extras: { param: 'credential' },
      message: expect.stringContaining('again'),
    });
    expect(await getChannel(room, before.id)).toEqual(before);
    await changeChannel(room, before.id, { ...change, credential: 'sk-for-the-new-place' });
    expect(await credentialOf(before.id)).toBe('sk-for-the-new-place');
    await changeChannel(room, before.id, { ...own, credential: '' });
    expect(await credentialOf(before.id)).toBe('');
    expect(await changeChannel(room, before.id, change)).toMatchObject(change);
  });

  test.each(stays)('is kept if the target is the same: %j', async (change) => {
    const { id } = await addChannel(room, own);
    expect(await changeChannel(room, id, change)).toMatchObject(change);
    expect(await credentialOf(id)).toBe(secret);
  });
});
