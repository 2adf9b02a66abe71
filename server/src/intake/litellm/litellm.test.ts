import { expect, test } from 'bun:test';
import { pricesOf } from '../../routing/catalog/price-list.ts';
import type { ModelIntake } from '../imported-data.ts';
import { intakeOf } from './read-litellm.ts';

const env = { OPENAI_KEY: 'sk-of-openai-0001', ANTHROPIC_API_KEY: 'sk-ant-of-env-0002' };
const read = (text: string) => intakeOf(text, env);
const one = (params: string, rest = '') =>
  read(`model_list:\n  - model_name: m\n    litellm_params: {${params}}\n${rest.replace(/^(?=.)/gm, '    ')}`);
const firstModel = (intake: ReturnType<typeof read>): ModelIntake => intake.channels[0]!.models[0]!;

const example = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_key: os.environ/OPENAI_KEY
      temperature: 0.2
    model_info:
      input_cost_per_token: 0.0000025
      output_cost_per_token: 1e-05
      cache_read_input_token_cost: 0.00000125
  - model_name: small
    litellm_params: { model: gpt-4o-mini, api_key: os.environ/OPENAI_KEY }
  - model_name: gpt-4o
    litellm_params:
      model: azure/deployed-gpt
      api_base: https://corp.openai.azure.com/
      api_key: azure-key-0003
      api_version: "2024-06-01"
      rpm: 60
      tpm: 20_000
      order: 2
    model_info: { base_model: azure/gpt-4o }
  - model_name: claude
    litellm_params: { model: claude-sonnet-4-5 }
  - model_name: lost
    litellm_params: { model: openai/x, api_key: os.environ/NOT_SET }
router_settings:
  fallbacks: [{ gpt-4o: [claude] }]
  model_group_alias: { gpt-4: gpt-4o, hidden-name: { model: small, hidden: true } }
  routing_strategy: simple-shuffle
general_settings:
  master_key: sk-master-key-of-the-proxy
  database_url: postgres://somewhere
`;

test('a file becomes channels with models and prices, aliases and a key', () => {
  const intake = read(example);
  expect(intake.channels).toMatchObject([
    { provider: 'openai', baseUrl: 'https://api.openai.com/v1', credentials: [{ secret: 'sk-of-openai-0001' }] },
    {
      ...{ provider: 'azure', kind: 'openai', baseUrl: 'https://corp.openai.azure.com/openai/v1', priority: 10 },
      credentials: [{ secret: 'azure-key-0003', requestsPerMinute: 60, tokensPerMinute: 20_000 }],
    },
    { provider: 'anthropic', kind: 'anthropic', credentials: [{ secret: 'sk-ant-of-env-0002' }] },
  ]);
  expect(intake.channels[0]!.models).toMatchObject([
    { modelId: 'gpt-4o-first', modelName: 'gpt-4o', promptPrice: 2.5, completionPrice: 10, parts: { cacheRead: 1.25 } },
    { modelId: 'small', modelName: 'gpt-4o-mini' },
  ]);
  expect(intake.channels[1]!.models).toMatchObject([{ modelId: 'gpt-4o-first', modelName: 'deployed-gpt' }]);
  expect(intake.aliases).toEqual([
    { name: 'gpt-4o', models: ['gpt-4o-first', 'claude'] },
    { name: 'gpt-4', models: ['gpt-4o-first', 'claude'] },
    { name: 'hidden-name', models: ['small'] },
  ]);
  expect(intake.keys).toMatchObject([{ secret: 'sk-master-key-of-the-proxy', owner: null, unlimited: true }]);
});

test('settings that are not imported are listed, without secrets', () => {
  const told = read(example).notes.join('\n');
  for (const part of [
    'model_list[0] (gpt-4o): not imported: temperature',
    'model_list[4] (lost) is skipped: the variable of its api_key (os.environ/NOT_SET) is not set',
    'model gpt-4o is called gpt-4o-first',
    'router_settings not imported: routing_strategy',
    "users, teams and keys of LiteLLM's database are not imported",
  ])
    expect(told).toContain(part);
  for (const hidden of ['sk-of-openai', 'azure-key', 'sk-master', 'postgres://']) expect(told).not.toContain(hidden);
});

test('the same file gives the same ids, whatever was added to it', () => {
  const more = example.replace(
    'router_settings:',
    '  - { model_name: new, litellm_params: { model: groq/x, api_key: k } }\n$&',
  );
  const ids = (text: string) => read(text).channels.map(({ foreignId }) => foreignId);
  expect(ids(more).slice(0, 3)).toEqual(ids(example));
});

test.each([
  ['model: ollama/llama3, api_base: "http://127.0.0.1:11434"', 'ollama', 'http://127.0.0.1:11434/v1', 'llama3'],
  [
    'model: openai/qwen, api_base: "http://gpu.local:8000/v1", api_key: x',
    'gpu.local',
    'http://gpu.local:8000/v1',
    'qwen',
  ],
  ['model: hosted_vllm/a/b, api_base: "http://gpu.local/v1", api_key: x', 'gpu.local', 'http://gpu.local/v1', 'a/b'],
  ['model: together_ai/meta/llama, api_key: k', 'together', 'https://api.together.xyz/v1', 'meta/llama'],
  ['model: cohere/rerank-v4.0-pro, api_key: k', 'cohere-rerank', 'https://api.cohere.com/v2', 'rerank-v4.0-pro'],
  ['model: gemini/gemini-x, api_key: k', 'gemini', 'https://generativelanguage.googleapis.com/v1beta', 'gemini-x'],
  ['model: anthropic/c, api_key: k, api_base: "https://proxy.example"', 'anthropic', 'https://proxy.example/v1', 'c'],
  ['model: c, custom_llm_provider: deepseek, api_key: k', 'deepseek', 'https://api.deepseek.com/v1', 'c'],
  [
    'model: bedrock/converse/anthropic.c-v1:0, aws_access_key_id: A, aws_secret_access_key: S, aws_region_name: eu-west-1',
    ...['bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com', 'anthropic.c-v1:0'],
  ],
  [
    'model: vertex_ai/gemini-x, vertex_location: europe-west4, vertex_credentials: {type: service_account}',
    ...['vertex', 'https://europe-west4-aiplatform.googleapis.com/v1', 'gemini-x'],
  ],
])('%s becomes %s at %s', (params, provider, baseUrl, modelName) => {
  const intake = one(params!);
  expect(intake.notes).toEqual([]);
  expect(intake.channels).toMatchObject([{ provider, baseUrl, models: [{ modelId: 'm', modelName }] }]);
});

test.each([
  ['model: sagemaker/x', 'sagemaker requires an api_base'],
  ['model: azure/x, api_key: k', 'azure requires an api_base'],
  ['model: a-name-of-nobody', 'the vendor of model a-name-of-nobody is'],
  ['model: groq/x', 'it has no api_key, and GROQ_API_KEY is not set'],
  ['model: vertex_ai/x, vertex_credentials: /etc/key.json', 'not the content of a key file'],
])('%s is skipped: %s', (params, why) => {
  const intake = one(params);
  expect(intake.channels).toEqual([]);
  expect(intake.notes.join()).toContain(why);
});

test.each([
  ['mode: image_generation, output_cost_per_image: 0.04', { type: 'image', requestPrice: 0.04 }],
  ['mode: audio_transcription, input_cost_per_second: 0.0001', { type: 'transcription', requestPrice: 0.006 }],
  ['mode: embedding, input_cost_per_token: 1e-07', { type: 'embedding', promptPrice: 0.1, completionPrice: 0 }],
  ['mode: rerank, input_cost_per_query: 0.002', { type: 'rerank', requestPrice: 0.002 }],
  ['input_cost_per_token: 1e-06', { type: 'chat', promptPrice: 1, completionPrice: 1, status: 1 }],
  ['max_input_tokens: 9000, max_output_tokens: 100', { contextLength: 9000, maxOutputTokens: 100, status: 2 }],
])('model_info {%s} is %p', (info, fields) => {
  expect(firstModel(one('model: openai/own, api_key: k', `model_info: {${info}}`))).toMatchObject(fields);
});

test.each([
  ['input_cost_per_second: 0.0042', 'input_cost_per_second'],
  ['output_cost_per_image: 0.04', 'output_cost_per_image'],
  ['output_cost_per_second: 0.01, input_cost_per_token: 0, output_cost_per_token: 0', 'output_cost_per_second'],
  ['mode: image_generation, input_cost_per_image: 0.02, output_cost_per_token: 0', 'input_cost_per_image'],
  ['mode: audio_speech, input_cost_per_second: 0.0001', 'input_cost_per_second'],
  ['mode: rerank, output_cost_per_second: 0.1', 'output_cost_per_second'],
  ['tiered_pricing: [{input_cost_per_token: 1e-06}], input_cost_per_token: 0', 'tiered_pricing'],
])('model_info {%s} does not make the model free', (info, cost) => {
  const intake = one('model: openai/own, api_key: k', `model_info: {${info}}`);
  expect(firstModel(intake)).toMatchObject({ status: 2 });
  expect(intake.notes).toEqual([`model_list[0] (m): prices without a counterpart here: ${cost}`]);
});

test('a model is free if all of its prices are 0', () => {
  const zero = 'model_info: {input_cost_per_token: 0, output_cost_per_token: 0, output_cost_per_second: 0}';
  const intake = one('model: openai/own, api_key: k', zero);
  expect(firstModel(intake)).toMatchObject({ status: 1, promptPrice: 0, completionPrice: 0, requestPrice: 0 });
  expect(intake.notes).toEqual([]);
});

test('deployments of one name with one key become a channel each', () => {
  const twins = ['one', 'two'].map(
    (model) => `  - { model_name: m, litellm_params: { model: groq/${model}, api_key: k } }`,
  );
  const { channels, notes } = read(['model_list:', ...twins, twins[0]].join('\n'));
  expect(channels.map(({ models }) => models.map(({ modelName }) => modelName))).toEqual([['one'], ['two']]);
  expect(new Set(channels.map(({ foreignId }) => foreignId)).size).toBe(2);
  expect(channels.map(({ name }) => name)).toEqual(['Groq', 'Groq 2']);
  expect(notes).toEqual(['model_list[2] (m) is skipped: it is listed twice']);
});

test("a vendor wildcard becomes the models of the price list, by clients' names", () => {
  const all = (name: string, model: string) =>
    read(`model_list:\n  - { model_name: "${name}", litellm_params: { model: "${model}", api_key: k } }`);
  const ids = (name: string, model: string) =>
    all(name, model).channels.flatMap(({ models }) => models.map(({ modelId }) => modelId));
  const names = pricesOf('gemini').map(({ modelName }) => modelName);
  expect(names.length).toBeGreaterThan(1);
  expect(ids('gemini/*', 'gemini/*')).toEqual(names.map((name) => `gemini/${name}`));
  expect(ids('*', 'gemini/*')).toEqual(names);
  for (const [name, model] of [
    ['*', '*'],
    ['azure/*', 'azure/*'],
    ['one', 'gemini/*'],
  ] as const)
    expect(all(name, model).notes.join()).toContain('is skipped');
});

test('a deployment resolves its references, and an invalid one does not affect others', () => {
  const { channels, notes } = read(`
credential_list:
  - credential_name: corp
    credential_values: { api_key: os.environ/OPENAI_KEY, api_base: "https://gw.example/v1" }
model_list:
  - { model_name: a, litellm_params: { model: openai/a, litellm_credential_name: corp } }
  - { model_name: b }`);
  expect(channels).toMatchObject([
    { baseUrl: 'https://gw.example/v1', credentials: [{ secret: 'sk-of-openai-0001' }] },
  ]);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toStartWith('model_list[1] is skipped: litellm_params: ');
});

test('limits and prices without a counterpart are listed', () => {
  const params = 'model: ollama/x, rpm: 5, input_cost_per_token_batches: 1e-06, max_retries: 2';
  expect(one(params).notes).toEqual([
    'model_list[0] (m): not imported: max_retries',
    'model_list[0] (m): rpm and tpm are not imported: limits are set per key here',
    'model_list[0] (m): prices without a counterpart here: input_cost_per_token_batches',
  ]);
});

test.each(['- a', 'model_list: {a: 1}', 'a: [1, 2\n b: {'])('%p is rejected as a configuration', (text) => {
  expect(() => read(text)).toThrow('This is not a readable LiteLLM config.yaml');
});
