import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { openSealer } from '../lib/seal.ts';
import { until } from '../lib/until.fixture.ts';
import { type ScriptedUpstream, saidHello, scriptedUpstream } from '../relay/scripted-upstream.fixture.ts';
import type { Outcome } from './import-run.ts';
import type { ImportedData } from './imported-data.ts';
import { intakeOf as litellmIntakeOf } from './litellm/read-litellm.ts';
import { newApiDatabase } from './new-api/new-api.fixture.ts';
import { readNewApi } from './new-api/read-new-api.ts';
import { runImport } from './run-import.ts';

let t: TestApp;
let upstream: ScriptedUpstream;
let there: Awaited<ReturnType<typeof newApiDatabase>>;
let outcome: Outcome;

const secret = 'Zk3x'.padEnd(48, 'a1B2');
const code = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const hour = 3_600;
const now = Math.floor(Date.now() / 1000);

const said = () => saidHello(1_000, 100);

const takeAll = (intake: ImportedData, write: boolean) => {
  const { database, clock, sealingKeys } = t.platform;
  return runImport({ db: database.db, clock, sealer: openSealer({ keys: sealingKeys }) }, intake, { write });
};
const take = async (write: boolean) => takeAll(await readNewApi(there.source), write);

const ask = async (secret: string, model: string) => {
  await t.platform.shared.publish('catalog', 'changed');
  const headers = { authorization: `Bearer ${secret}` };
  await until(`the catalog has ${model}`, async () =>
    (await (await t.call('/v1/models', { headers })).text()).includes(`"id":"${model}"`),
  );
  const body = { model, max_tokens: 200, messages: [{ role: 'user', content: 'hello' }] };
  const answer = await t.call('/v1/chat/completions', { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  await answer.text();
};

beforeAll(async () => {
  t = await openTestApp();
  upstream = scriptedUpstream(said);
  const bcrypt = await Bun.password.hash('a password of before', { algorithm: 'bcrypt', cost: 4 });
  there = await newApiDatabase({
    channels: [
      {
        ...{ id: 1, type: 1, key: 'sk-first-key-of-upstream\nsk-second-key-of-upstream', name: 'Main', priority: 5 },
        ...{
          base_url: upstream.url.replace(/\/v1$/, ''),
          models: 'gpt-new,gpt-mapped, dall-fix,unheard-of',
          weight: 3,
        },
        ...{ model_mapping: '{"gpt-mapped":"upstream-name"}', group: 'default', created_time: 100 },
        channel_info: JSON.stringify({ is_multi_key: true, multi_key_status_list: { 1: 2 } }),
      },
      {
        id: 2,
        type: 14,
        key: 'sk-ant-of-vip',
        name: 'Claude',
        models: 'claude-x',
        group: 'vip',
        status: 3,
        setting: '{"proxy":"x"}',
      },
      { id: 3, type: 2, key: 'mj', name: 'Pictures', models: 'mj_imagine' },
      { id: 4, type: 1, key: 'has spaces in it', name: 'Broken', models: 'gpt-new' },
    ],
    users: [
      { id: 1, username: 'root', password: bcrypt, role: 100, quota: 7_000_000, aff_code: 'aaaa' },
      {
        id: 2,
        username: 'mary',
        password: bcrypt,
        display_name: 'Mary',
        email: 'mary@example.com',
        quota: 1_000_000,
        aff_code: 'bbbb',
      },
      { id: 3, username: '小明', password: '', quota: -20, group: 'vip', aff_code: 'cccc', status: 2 },
      { id: 4, username: 'gone', password: bcrypt, quota: 50, aff_code: 'dddd', deleted_at: new Date(0).toISOString() },
    ],
    tokens: [
      { id: 1, user_id: 2, key: secret, name: 'laptop', unlimited_quota: true, model_limits_enabled: false },
      {
        ...{ id: 2, user_id: 2, key: 'b'.repeat(48), name: 'narrow', remain_quota: 500, unlimited_quota: false },
        ...{
          model_limits_enabled: true,
          model_limits: 'gpt-new',
          allow_ips: '10.0.0.0/8\n192.0.2.7',
          expired_time: now + hour,
        },
      },
      { id: 3, user_id: 2, key: 'c'.repeat(48), name: 'old', expired_time: now - hour, unlimited_quota: true },
      { id: 4, user_id: 4, key: 'd'.repeat(48), name: 'orphan', unlimited_quota: true },
      { id: 5, user_id: 1, key: 'e'.repeat(48), name: 'of root', unlimited_quota: true, group: 'vip' },
      { id: 6, user_id: 2, key: 'f'.repeat(48), name: 'open', unlimited_quota: true, allow_ips: 'office' },
    ],
    redemptions: [
      { id: 1, user_id: 1, key: code, name: 'spring', quota: 250_000 },
      { id: 2, user_id: 1, key: code.replace('0', 'a'), name: 'spent', quota: 250_000, status: 3 },
    ],
    options: [
      { key: 'ModelRatio', value: '{"gpt-new":1.25,"gpt-mapped":0.5,"claude-x":1.5}' },
      { key: 'CompletionRatio', value: '{"gpt-new":4,"claude-x":5}' },
      { key: 'CacheRatio', value: '{"gpt-new":0.5}' },
      { key: 'ModelPrice', value: '{"dall-fix":0.04}' },
      { key: 'GroupRatio', value: '{"default":1,"vip":0.8}' },
      { key: 'SMTPToken', value: 'a secret of mail' },
    ],
  });
});
afterAll(async () => {
  await there.drop();
  await upstream.close();
  await t.close();
});

/** Every row that an intake may touch. */
const everything = async () => {
  const { db } = t.platform.database;
  const tables = ['channels', 'channel_credentials', 'provider_models', 'model_aliases', 'users', 'api_keys'] as const;
  const rows = await Promise.all(
    [...tables, 'redemption_codes' as const, 'credits' as const, 'taken_in' as const].map((table) =>
      db.selectFrom(table).selectAll().execute(),
    ),
  );
  return JSON.stringify(rows);
};

test('the preview shows what would be imported and writes nothing', async () => {
  const before = await everything();
  const shown = await take(false);
  expect(shown.users).toEqual(['mary, $2', 'user-3, $0']);
  expect(await everything()).toBe(before);
  outcome = await take(true);
  expect(outcome).toEqual(shown);
});

test('channels, models and prices are imported unchanged', async () => {
  const root = await t.root();
  const { data } = (await (await root.call('/api/admin/channels')).json()) as {
    data: { channels: Record<string, unknown>[] };
  };
  const [main, claude] = data.channels;
  expect(data.channels).toHaveLength(2);
  expect(main).toMatchObject({
    name: 'Main',
    kind: 'openai',
    base_url: upstream.url,
    priority: 5,
    weight: 3,
    status: 1,
  });
  expect(claude).toMatchObject({ name: 'Claude (vip)', provider: 'anthropic', group: 'vip', status: 2 });
  expect(claude).toMatchObject({ base_url: 'https://api.anthropic.com/v1' });
  const models = (await (await root.call('/api/admin/provider-models')).json()) as {
    data: { provider_models: { model_id: string }[] };
  };
  expect(Object.fromEntries(models.data.provider_models.map((model) => [model.model_id, model]))).toMatchObject({
    'gpt-new': { model_name: 'gpt-new', prices: { prompt: 2.5, completion: 10, cache_read: 1.25 }, status: 1 },
    'gpt-mapped': { model_name: 'upstream-name', prices: { prompt: 1, completion: 1 } },
    'dall-fix': { prices: { prompt: 0, completion: 0, request: 0.04 } },
    'claude-x': { prices: { prompt: 2.4, completion: 12 } },
    'unheard-of': { status: 2 },
  });
});

test('a request with an imported key and channel is answered and charged at the imported price', async () => {
  await ask(`sk-${secret}`, 'gpt-new');
  // The second key is turned off there, and here.
  expect(upstream.seen.at(-1)!.headers.get('authorization')).toBe('Bearer sk-first-key-of-upstream');
  const login = { method: 'POST', body: { username: 'mary', password: 'a password of before' } };
  const signedIn = await t.call('/api/user/login', login);
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const self = async (path: string) => (await (await t.call(path, { headers: { cookie } })).json()) as { data: never };
  // 1,000 tokens at $2.5 and 100 at $10 a million are $0.0035.
  expect((await self('/api/user/self')).data).toMatchObject({ quota: 1_000_000 - 1_750, email: 'mary@example.com' });
  expect((await self('/api/ledger')).data).toMatchObject({
    entries: [{ amount: -1_750 }, { amount: 1_000_000, balance_after: 1_000_000, note: 'Opening balance' }],
  });
  const redeemed = await t.call('/api/user/redemptions', { method: 'POST', headers: { cookie }, body: { code } });
  expect(redeemed.status).toBe(200);
  expect((await self('/api/user/self')).data).toMatchObject({ quota: 1_000_000 - 1_750 + 250_000 });
});

test('keys keep their limits', async () => {
  const { db } = t.platform.database;
  const keys = await db.selectFrom('api_keys').selectAll().orderBy('id').execute();
  expect(keys.map(({ name }) => name)).toEqual(['laptop', 'narrow', 'of root']);
  expect(keys[1]).toMatchObject({ remain_quota: 500, unlimited_quota: 0, models: '["gpt-new"]' });
  expect(keys[1]).toMatchObject({ allowed_ips: '["10.0.0.0/8","192.0.2.7"]', expired_time: now + hour });
});

test('everything that changes on import is listed, without secrets', () => {
  const told = outcome.notes.join('\n');
  for (const part of [
    'channel "Pictures" (3): it is skipped: its type, number 2',
    'channel "Broken": key number 1 is skipped',
    'channel "Broken" is skipped: none of its keys is usable',
    'channel "Claude" (2): it was disabled automatically there',
    'channel "Claude" (2): its settings in setting have no counterpart',
    'model unheard-of: no ratio is stored for it',
    'model unheard-of of channel "Main" is disabled',
    'model gpt-mapped: no CompletionRatio is stored for it: an answer costs as much as a prompt',
    'user root: the root user here has the same name',
    'user 小明 is renamed to user-3',
    'user user-3 has no usable password',
    'user user-3 owes $0.00004',
    'key "old" (…cccc) is skipped: it has expired',
    'key "orphan" (…dddd) is skipped: its user does not exist here',
    'key "of root" (5): it was for the group vip',
    'key "open" (…ffff) is skipped: must be an IP address or a CIDR block',
    'settings not imported: SMTPToken',
  ])
    expect(told).toContain(part);
  const shown = JSON.stringify(outcome);
  for (const hidden of [secret, code, 'sk-first-key', 'sk-ant-of-vip', 'a secret of mail', '$2b$'])
    expect(shown).not.toContain(hidden);
});

test('a second import adds nothing, and keeps later changes and deletions', async () => {
  const { db } = t.platform.database;
  const root = await t.root();
  const { id } = await db.selectFrom('channels').select('id').where('name', '=', 'Main').executeTakeFirstOrThrow();
  const renamed = { method: 'PUT', body: { name: 'Ours', priority: 9 } };
  expect((await root.call(`/api/admin/channels/${id}`, renamed)).status).toBe(200);
  await db.deleteFrom('api_keys').where('name', '=', 'narrow').execute();
  await db.deleteFrom('users').where('username', '=', 'user-3').execute();
  const before = await everything();
  const again = await take(true);
  expect(again).toMatchObject({ channels: [], models: [], users: [], keys: [], codes: [] });
  expect(again.before).toBeGreaterThan(10);
  expect(await everything()).toBe(before);
});

test('a LiteLLM file: its master key is charged at its price, and a fallback answers', async () => {
  const text = `
model_list:
  - model_name: chat
    litellm_params: { model: openai/broken, api_base: "${upstream.url}/nowhere", api_key: a }
    model_info: { input_cost_per_token: 1e-06, output_cost_per_token: 1e-06 }
  - model_name: spare
    litellm_params: { model: openai/spare-name, api_base: "${upstream.url}", api_key: os.environ/SPARE }
    model_info: { input_cost_per_token: 2e-06, output_cost_per_token: 8e-06 }
router_settings: { fallbacks: [{ chat: [spare] }] }
general_settings: { master_key: sk-master-key-of-the-proxy }`;
  const intake = litellmIntakeOf(text, { SPARE: 'sk-key-of-spare' });
  expect((await takeAll(intake, true)).aliases).toEqual(['chat → chat-first, spare']);
  upstream.answer(({ path }) => (path.includes('nowhere') ? new Response('down', { status: 503 }) : said()));
  const root = await t.root();
  const quota = async () =>
    ((await (await root.call('/api/user/self')).json()) as { data: { quota: number } }).data.quota;
  const before = await quota();
  await ask('sk-master-key-of-the-proxy', 'chat');
  const last = upstream.seen.at(-1)!;
  expect(last.body).toMatchObject({ model: 'spare-name' });
  expect(last.headers.get('authorization')).toBe('Bearer sk-key-of-spare');
  // 1,000 tokens at $2 and 100 at $8 a million are $0.0028.
  expect(await quota()).toBe(before - 1_400);
  const rows = await everything();
  expect(await takeAll(litellmIntakeOf(text, { SPARE: 'sk-key-of-spare' }), true)).toMatchObject({
    before: 6,
    models: [],
  });
  expect(await everything()).toBe(rows);
});
