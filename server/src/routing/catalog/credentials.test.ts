import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { manualClock } from '../../lib/clock.ts';
import { openSealer } from '../../lib/seal.ts';
import { engines } from '../../platform/db/engines.fixture.ts';
import { wordsOf } from '../../platform/db/migration.ts';
import { keysAndNames } from '../../platform/db/migrations/0034-credentials.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { engineOf } from '../../platform/db/tables.ts';
import { memoryShared } from '../../platform/shared/memory.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import {
  addChannel,
  type CatalogContext,
  changeChannel,
  channelDefaults,
  getChannel,
  removeChannel,
} from './channels.ts';
import { addCredential, changeCredential, credentialDefaults, credentialsOf, removeCredential } from './credentials.ts';
import { resealCredentials } from './store/channels.ts';
import { mostCredentials } from './store/credentials.ts';

const oldKey = { id: 'old', key: new Uint8Array(32).fill(1) };
const newKey = { id: 'new', key: new Uint8Array(32).fill(2) };
const sealer = openSealer({ keys: [oldKey] });

describe.each(engines)('credentials of channels on $name', (engine) => {
  let opened: OpenDb & { drop(): Promise<void> };
  let catalog: Catalog;
  let room: CatalogContext;
  beforeAll(async () => {
    opened = await engine.open();
    catalog = await openCatalog({ db: opened.db, shared: memoryShared(), sealer, demo: 'off', builtIn: [] });
    room = { db: opened.db, sealer, clock: manualClock(), catalog };
  });
  beforeEach(async () => {
    await opened.db.deleteFrom('channel_credentials').execute();
    await opened.db.deleteFrom('channels').execute();
    await catalog.reload();
  });
  afterAll(async () => {
    await catalog.close();
    await opened.drop();
  });

  const channel = async (credential = 'sk-one') => {
    const place = { name: 'Acme', provider: 'acme', kind: 'openai', baseUrl: 'https://api.acme.example/v1' } as const;
    return (await addChannel(room, { ...channelDefaults, ...place, credential, models: ['m'] })).id;
  };
  const add = (channelId: number, credential: string, fields = {}) =>
    addCredential(room, channelId, { ...credentialDefaults, name: credential, credential, ...fields });
  const secrets = async (channelId: number) =>
    (await credentialsOf(room, channelId)).map(({ sealed }) => sealer.open(sealed));
  /** The channel as routing sees it. */
  const inUse = () => catalog.legacyCandidatesFor('m', 'chat', 'default')[0]?.channel;

  test('the key of a channel is its first credential, and a single one adds nothing to the channel', async () => {
    const id = await channel();
    expect(await credentialsOf(room, id)).toMatchObject([{ name: 'First', first: true, weight: 1, status: 1 }]);
    expect(await secrets(id)).toEqual(['sk-one']);
    expect(inUse()).toMatchObject({ credential: 'sk-one' });
    expect(inUse()!.credentials).toBeUndefined();
    expect(await credentialsOf(room, await channel(''))).toEqual([]);
  });

  test('credentials are added, changed and disabled, each with its own limits', async () => {
    const id = await channel();
    const second = await add(id, 'sk-two', { requestsPerMinute: 10 });
    expect(inUse()!.credentials).toMatchObject([
      { secret: 'sk-one', limits: null },
      { id: second.id, secret: 'sk-two', limits: { requestsPerMinute: 10, tokensPerMinute: null, spendPerDay: null } },
    ]);
    await changeCredential(room, id, second.id, { requestsPerMinute: null, spendPerDay: 500_000 });
    await changeCredential(room, id, second.id, { credential: 'sk-three' });
    expect(inUse()!.credentials![1]).toMatchObject({ secret: 'sk-three', limits: { spendPerDay: 500_000 } });
    await changeCredential(room, id, second.id, { status: 2 });
    expect(inUse()).toMatchObject({ credential: 'sk-one' });
    expect(inUse()!.credentials).toBeUndefined();
  });

  test('a single credential with limits has them applied', async () => {
    const id = await channel();
    const [first] = await credentialsOf(room, id);
    await changeCredential(room, id, first!.id, { tokensPerMinute: 7 });
    expect(inUse()!.credentials).toMatchObject([{ id: first!.id, limits: { tokensPerMinute: 7 } }]);
    await changeCredential(room, id, first!.id, { status: 2 });
    expect(inUse()).toBeUndefined();
  });

  test('when the first is removed, the next takes its place with its own limits', async () => {
    const id = await channel();
    const second = await add(id, 'sk-two', { requestsPerMinute: 3 });
    const [first] = await credentialsOf(room, id);
    await removeCredential(room, id, first!.id);
    expect(await credentialsOf(room, id)).toMatchObject([{ id: second.id, first: true, requestsPerMinute: 3 }]);
    expect(sealer.open((await getChannel(room, id)).sealedCredential)).toBe('sk-two');
    await removeCredential(room, id, second.id);
    expect((await getChannel(room, id)).sealedCredential).toBe('');
    await add(id, 'sk-four');
    expect(await secrets(id)).toEqual(['sk-four']);
    expect(sealer.open((await getChannel(room, id)).sealedCredential)).toBe('sk-four');
  });

  test('changing or removing the key of the channel changes or removes its first credential', async () => {
    const id = await channel();
    await add(id, 'sk-two');
    await changeChannel(room, id, { credential: 'sk-new' });
    expect(await secrets(id)).toEqual(['sk-new', 'sk-two']);
    await changeChannel(room, id, { credential: '' });
    expect(await secrets(id)).toEqual(['sk-two']);
    expect(sealer.open((await getChannel(room, id)).sealedCredential)).toBe('sk-two');
  });

  test('stored keys are not reused for another address', async () => {
    const id = await channel();
    const second = await add(id, 'sk-two');
    const elsewhere = { baseUrl: 'https://evil.example/v1', credential: 'sk-mine' };
    await expect(changeChannel(room, id, elsewhere)).rejects.toMatchObject({ code: 'invalid_value' });
    await removeCredential(room, id, second.id);
    await changeChannel(room, id, elsewhere);
    expect(await secrets(id)).toEqual(['sk-mine']);
  });

  test('credentials of another channel are not found, and are deleted with their channel', async () => {
    const [one, other] = [await channel(), await channel()];
    const second = await add(one, 'sk-two');
    await expect(changeCredential(room, other, second.id, { weight: 2 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(removeCredential(room, other, second.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(add(999_999, 'sk-x')).rejects.toMatchObject({ code: 'not_found' });
    await removeChannel(room, one);
    const left = await opened.db.selectFrom('channel_credentials').select('channel_id').execute();
    expect(left.map(({ channel_id }) => channel_id)).toEqual([other]);
  });

  test('a channel created by an earlier version works, and its key becomes a credential when the next is added', async () => {
    const id = await channel();
    await opened.db.deleteFrom('channel_credentials').execute();
    await catalog.reload();
    expect(inUse()).toMatchObject({ credential: 'sk-one' });
    await add(id, 'sk-two');
    expect(await secrets(id)).toEqual(['sk-one', 'sk-two']);
    // And one whose key it removed.
    await opened.db.updateTable('channels').set({ credential: '' }).where('id', '=', id).execute();
    await catalog.reload();
    expect(inUse()!.credential).toBe('sk-two');
  });

  test('the migration makes the key of every channel its first credential', async () => {
    const [one, without] = [await channel(), await channel('')];
    const { db } = opened;
    const tables = ['channel_credentials', 'routing_credential_days', 'routing_own_keys', 'model_aliases'];
    for (const table of tables) await sql.raw(`drop table ${table}`).execute(db);
    for (const step of keysAndNames.statements(wordsOf(engineOf(db)))) await sql.raw(step).execute(db);
    expect(await secrets(one)).toEqual(['sk-one']);
    expect(await credentialsOf(room, one)).toMatchObject([{ name: 'First', first: true, weight: 1, status: 1 }]);
    expect(await credentialsOf(room, without)).toEqual([]);
    await catalog.reload();
    await add(one, 'sk-two');
    expect(await secrets(one)).toEqual(['sk-one', 'sk-two']);
  });

  test('rejects more than the maximum number of credentials', async () => {
    const id = await channel();
    for (let n = 1; n < mostCredentials; n += 1) await add(id, `sk-${n}`);
    await expect(add(id, 'sk-more')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a credential that cannot be decrypted is skipped; all are re-encrypted together', async () => {
    const id = await channel();
    await add(id, 'sk-two');
    const both = openSealer({ keys: [newKey, oldKey] });
    expect(await resealCredentials(opened.db, both.reseal)).toBe(2);
    expect(await resealCredentials(opened.db, both.reseal)).toBe(0);
    const fresh = openSealer({ keys: [newKey] });
    expect((await credentialsOf(room, id)).map(({ sealed }) => fresh.open(sealed))).toEqual(['sk-one', 'sk-two']);
    await add(id, 'sk-three');
    const troubles: string[] = [];
    await catalog.reload();
    const { db } = opened;
    const onTrouble = (message: string) => troubles.push(message);
    const again = await openCatalog({ db, shared: memoryShared(), sealer: fresh, demo: 'off', builtIn: [], onTrouble });
    const secretsThere = again
      .legacyCandidatesFor('m', 'chat', 'default')[0]!
      .channel.credentials!.map(({ secret }) => secret);
    expect(secretsThere).toEqual(['sk-one', 'sk-two']);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toMatch(/^credential \d+ of channel \d+ is skipped/);
    await again.close();
  });
});
