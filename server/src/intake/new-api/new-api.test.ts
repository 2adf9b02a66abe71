import { expect, test } from 'bun:test';
import { placeOfType } from './channel-types.ts';
import { intakeOf } from './read-new-api.ts';
import { channelRow, type Rows } from './rows.ts';
import { addressOf } from './source.ts';

const empty: Rows = { channels: [], users: [], tokens: [], redemptions: [], options: new Map() };
const channel = (columns: Record<string, unknown>, options: Record<string, unknown> = {}) => {
  const row = channelRow.parse({ id: 7, type: 1, key: 'sk-0123456789', status: 1, name: 'C', models: 'm', ...columns });
  const values = Object.entries(options).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return intakeOf({ ...empty, channels: [row], options: new Map(values) });
};

test.each([
  [1, '', false, 'openai', 'openai', 'https://api.openai.com/v1'],
  [1, 'https://reseller.example/', false, 'reseller.example', 'openai', 'https://reseller.example/v1'],
  [1, 'https://api.deepseek.com', false, 'deepseek', 'openai', 'https://api.deepseek.com/v1'],
  [
    3,
    'https://corp.cognitiveservices.azure.com',
    false,
    'azure',
    'openai',
    'https://corp.cognitiveservices.azure.com/openai/v1',
  ],
  [4, 'http://10.0.0.5:11434', false, 'ollama', 'openai', 'http://10.0.0.5:11434/v1'],
  [4, '', true, 'api.closeai-proxy.xyz', 'openai', 'https://api.closeai-proxy.xyz/v1'],
  [8, 'https://x.example/a/chat/completions', false, 'x.example', 'openai', 'https://x.example/a'],
  [14, 'https://proxy.example', false, 'anthropic', 'anthropic', 'https://proxy.example/v1'],
  [20, '', false, 'openrouter', 'openrouter', 'https://openrouter.ai/api/v1'],
  [20, 'https://openrouter.ai/api', true, 'openrouter', 'openrouter', 'https://openrouter.ai/api/v1'],
  [24, '', true, 'gemini', 'gemini', 'https://generativelanguage.googleapis.com/v1beta'],
  [25, '', false, 'moonshot', 'openai', 'https://api.moonshot.cn/v1'],
  [26, '', false, 'open.bigmodel.cn', 'openai', 'https://open.bigmodel.cn/api/paas/v4'],
  [26, '', true, 'api.baichuan-ai.com', 'openai', 'https://api.baichuan-ai.com/v1'],
  [29, '', true, 'groq', 'openai', 'https://api.groq.com/openai/v1'],
  [43, '', false, 'deepseek', 'openai', 'https://api.deepseek.com/v1'],
  [45, '', false, 'ark.cn-beijing.volces.com', 'openai', 'https://ark.cn-beijing.volces.com/api/v3'],
  [50, 'https://own.example/v1', true, 'own.example', 'openai', 'https://own.example/v1'],
] as const)('type %i at "%s" (one-api: %p) is %s', (type, address, isOneApi, provider, kind, baseUrl) => {
  expect(placeOfType(type, address, isOneApi)).toEqual({ provider, kind, baseUrl });
});

test.each([
  [2, false],
  [15, false],
  [18, true],
  [50, false],
  [999, false],
])('type %i (one-api: %p) is not imported', (type, isOneApi) => {
  expect(placeOfType(type, 'https://x.example', isOneApi)).toBeNull();
});

const off = { requestsPerMinute: null, tokensPerMinute: null };

test('keys are read from lines, a list of key files, or one with its region', () => {
  const secrets = (columns: Record<string, unknown>) =>
    channel(columns).channels.map(({ baseUrl, credentials }) => [baseUrl, ...credentials.map(({ secret }) => secret)]);
  expect(secrets({ key: 'a\n b \n\n' })).toEqual([['https://api.openai.com/v1', 'a', 'b']]);
  const file = { type: 'service_account', project_id: 'p' };
  const vertex = 'https://europe-west4-aiplatform.googleapis.com/v1';
  expect(secrets({ type: 41, key: JSON.stringify([file, file]), other: 'europe-west4' })).toEqual([
    [vertex, JSON.stringify(file), JSON.stringify(file)],
  ]);
  const adc = { vertex_ai_adc: JSON.stringify(file), region: 'europe-west4' };
  expect(secrets({ type: 42, key: 'x', config: JSON.stringify(adc) })).toEqual([[vertex, JSON.stringify(file)]]);
  const [west, east] = ['eu-west-1', 'us-east-1'].map((region) => `https://bedrock-runtime.${region}.amazonaws.com`);
  expect(secrets({ type: 33, key: 'AKIA1|s1|eu-west-1\nkey|us-east-1\nAKIA2|s2|eu-west-1' })).toEqual([
    [west!, 'AKIA1:s1', 'AKIA2:s2'],
    [east!, 'key'],
  ]);
  expect(secrets({ type: 33, config: '{"ak":"A","sk":"S","region":"eu-west-1"}' })).toEqual([[west!, 'A:S']]);
  expect(channel({ type: 33, key: 'without-region' }).notes.join()).toContain('a region separated by |');
});

test('a disabled key stays disabled, and too many keys for one channel become two channels', () => {
  const key = Array.from({ length: 51 }, (_, i) => `key-${i}`).join('\n');
  const { channels } = channel({ key, channel_info: { multi_key_status_list: { 50: 3 } } });
  expect(channels.map(({ name, credentials }) => [name, credentials.length])).toEqual([
    ['C', 50],
    ['C (2)', 1],
  ]);
  expect(channels[1]!.credentials).toEqual([{ ...off, secret: 'key-50', status: 2 }]);
});

test.each([
  ['', {}, [['default', 2]]],
  ['default,vip', {}, [['default', 2]]],
  [
    'default,vip',
    { vip: 0.5 },
    [
      ['default', 2],
      ['vip', 1],
    ],
  ],
  [
    'vip,svip',
    { svip: 2 },
    [
      ['vip', 2],
      ['svip', 4],
    ],
  ],
] as const)('groups "%s" at ratios %p become channels %p', (group, GroupRatio, channels) => {
  const intake = channel({ group }, { ModelRatio: { m: 1 }, GroupRatio });
  expect(intake.channels.map((one) => [one.group, one.models[0]!.promptPrice])).toEqual(channels as never);
  expect(new Set(intake.channels.map(({ foreignId }) => foreignId)).size).toBe(channels.length);
});

test('an entry that is no ratio does not cost the others theirs', () => {
  const bad = { lost: -1, text: '2', none: null, group: { m: 2 } };
  const options = { ModelRatio: { m: 2, ...bad }, GroupRatio: { vip: 3, ...bad }, ModelPrice: { m2: 0.5, ...bad } };
  const { channels } = channel({ models: 'm,m2,text', group: 'vip' }, options);
  expect(channels[0]!.models).toMatchObject([
    { modelId: 'm', promptPrice: 12, status: 1 },
    { modelId: 'm2', requestPrice: 1.5, status: 1 },
    { modelId: 'text', status: 2 },
  ]);
  const modes = { m: 'tiered_expr', m2: 7 };
  expect(
    channel({}, { ModelRatio: { m: 2 }, 'billing_setting.billing_mode': modes }).channels[0]!.models,
  ).toMatchObject([{ status: 2 }]);
});

test("prices use the other gateway's units per dollar, and missing parts use the price list", () => {
  const ModelRatio = { m: 1, 'gpt-4o': 2.5 };
  const options = { ModelRatio, AudioRatio: { m: 4 }, AudioCompletionRatio: { m: 2 }, QuotaPerUnit: 1_000_000 };
  const [m, known] = channel({ models: 'm,gpt-4o' }, options).channels[0]!.models;
  expect(m).toMatchObject({ promptPrice: 1, completionPrice: 1, parts: { audioIn: 4, audioOut: 8 } });
  // Listed at 2.5 and 10, with what is read from a cache at half.
  expect(known).toMatchObject({ promptPrice: 2.5, completionPrice: 10, parts: { cacheRead: 1.25 } });
  const listed = channel({ models: 'gpt-4o', group: 'vip' }, { GroupRatio: { vip: 0.5 } });
  expect(listed.channels[0]!.models).toMatchObject([
    { promptPrice: 1.25, completionPrice: 5, parts: { cacheRead: 0.625 } },
  ]);
  expect(listed.notes.join()).toContain('model gpt-4o: no ratio is stored for it; the price list here');
  const formula = channel({}, { ModelRatio, 'billing_setting.billing_mode': { m: 'tiered_expr' } });
  expect(formula.channels[0]!.models[0]).toMatchObject({ status: 2 });
  expect(formula.notes.join()).toContain('its price is a formula');
});

test.each([
  ['/srv/one-api.db', null],
  ['postgresql://u:p@db/x', 'postgresql://u:p@db/x'],
  ['u:p@ss/w@tcp(db:3306)/new-api?charset=utf8mb4', 'mysql://u:p%40ss%2Fw@db:3306/new-api'],
])('%s is at %s', (source, address) => {
  expect(addressOf(source)).toBe(address);
});
