import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

const chat = '/v1/chat/completions';
const wire = '/v1/messages';
const messages = [{ role: 'user', content: 'hi' }];
const tool = (type: string) => ({ tools: [{ type, name: 'x' }] });

let relay: RelayTest;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(10_000_000);
  upstream = scriptedUpstream(({ path }) =>
    path.endsWith('/messages')
      ? Response.json({
          type: 'message',
          content: [{ type: 'text', text: 'ok' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 5, output_tokens: 1 },
        })
      : Response.json({
          choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 5, completion_tokens: 1 },
        }),
  );
  const price = { prompt_price: 1, completion_price: 1 };
  const add = (kind: string) =>
    addUpstream(
      relay.test,
      upstream.url.replace('/v1', ''),
      [{ model_id: `paid/${kind}`, ...price }, { model_id: `free/${kind}` }],
      { kind, name: kind },
    );
  await add('openai');
  await add('anthropic');
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

const ask = async (path: string, model: string, params: Loose) => {
  const before = upstream.seen.length;
  const answer = await relay.post(path, { model, messages, max_tokens: 10, ...params });
  const { error } = (await answer.json()) as Loose;
  const sent = upstream.seen.length > before ? (upstream.seen.at(-1)!.body as Loose) : null;
  return { status: answer.status, error, sent };
};

const refused: [string, Loose][] = [
  ...['priority', 'flex', 'scale', 'batch', 'performance', 7].map((value): [string, Loose] => [
    chat,
    { service_tier: value },
  ]),
  [chat, { web_search_options: {} }],
  [chat, { web_search_options: { search_context_size: 'high' } }],
  [chat, { search_parameters: { mode: 'on' } }],
  [chat, { plugins: [{ id: 'web' }] }],
  [chat, { enable_search: true }],
  [chat, { fallbacks: ['dear/one'] }],
  [chat, { preset: 'dear' }],
  [chat, { best_of: 20 }],
  [chat, { use_beam_search: true }],
  [chat, { speed: 'fast' }],
  [chat, { inference_geo: 'us' }],
  [chat, { options: { num_predict: 90_000 } }],
  [chat, { generationConfig: { maxOutputTokens: 90_000 } }],
  [chat, { extra_body: { max_tokens: 90_000 } }],
  [chat, { extra_body: { service_tier: 'priority' } }],
  [chat, { extra_body: { models: ['dear/one'] } }],
  ...[
    'web_search',
    'web_search_preview',
    'file_search',
    'code_interpreter',
    'image_generation',
    'mcp',
    'browser_search',
  ]
    .concat('google_search', 'computer_use_preview', 'builtin_function')
    .map((type): [string, Loose] => [chat, tool(type)]),
  [wire, { service_tier: 'priority' }],
  [wire, { speed: 'fast' }],
  [wire, { inference_geo: 'us' }],
  [wire, { mcp_servers: [{ type: 'url', url: 'https://x.example', name: 'x' }] }],
  [wire, { container: { skills: [] } }],
  [wire, { compaction: { type: 'summarize' } }],
  [wire, { fallbacks: [{ model: 'claude-opus-4-8' }] }],
  [chat, { moderation: { model: 'omni-moderation-latest' } }],
  [wire, { context_management: { edits: [{ type: 'compact_20260112' }] } }],
  ...['web_search_20250305', 'web_fetch_20250910', 'code_execution_20250825', 'mcp_toolset', 'advisor_20260301'].map(
    (type): [string, Loose] => [wire, tool(type)],
  ),
];

/** With what is sent, where that is something else. */
const allowed: [string, Loose, Loose?][] = [
  [chat, { service_tier: 'auto' }],
  [chat, { service_tier: 'default' }],
  [chat, { service_tier: null }],
  [chat, { web_search_options: null, plugins: [], best_of: 1, search_parameters: { mode: 'off' } }],
  [chat, { tools: [{ type: 'function', function: { name: 'web_search' } }] }],
  [chat, { tools: [{ type: 'custom', custom: { name: 'c' } }] }, { tools: [{ type: 'function' }] }],
  [chat, { store: true, metadata: { a: 'b' }, verbosity: 'low', modalities: ['text'], logit_bias: {} }],
  [wire, { service_tier: 'standard_only' }],
  [wire, { tools: [{ name: 'plain', input_schema: { type: 'object' } }] }],
  ...[
    'bash_20250124',
    'text_editor_20250728',
    'computer_20250124',
    'memory_20250818',
    'tool_search_tool_bm25_20251119',
  ].map((type): [string, Loose] => [wire, tool(type)]),
  [wire, { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
];

const kindOf = (path: string) => (path === chat ? 'openai' : 'anthropic');

describe('features that are not billed per token', () => {
  for (const [path, params] of refused) {
    const name = Object.keys(params)[0]!;
    test(`${path}: ${JSON.stringify(params)} is rejected by a paid model`, async () => {
      const { status, error, sent } = await ask(path, `paid/${kindOf(path)}`, params);
      expect([status, sent]).toEqual([400, null]);
      if (path === chat) expect(error.code).toBe('unsupported_parameter');
      expect(error.message).toContain(name === 'extra_body' ? `'` : `'${name}'`);
    });

    test(`${path}: ${JSON.stringify(params)} is forwarded to a free model`, async () => {
      const { status, sent } = await ask(path, `free/${kindOf(path)}`, params);
      expect(status).toBe(200);
      expect(sent[name]).toEqual(params[name]);
    });
  }
});

describe('parameters that do not affect the price are forwarded', () => {
  for (const [path, params, passed = params] of allowed) {
    test(`${path}: ${JSON.stringify(params)}`, async () => {
      const { status, sent } = await ask(path, `paid/${kindOf(path)}`, params);
      expect(status).toBe(200);
      expect(sent).toMatchObject(passed);
    });
  }
});

test('parameters that a translation drops are not rejected', async () => {
  const params = { service_tier: 'standard_only', speed: 'fast', container: 'c' };
  const { status, sent } = await ask(wire, 'paid/openai', params);
  expect(status).toBe(200);
  for (const name of Object.keys(params)) expect(sent[name]).toBeUndefined();
  expect((await ask(chat, 'paid/anthropic', { service_tier: 'priority' })).sent.service_tier).toBeUndefined();
});

test('a list of models is handled here, each model at its own price, and not forwarded', async () => {
  for (const path of [chat, wire, '/v1/completions']) {
    const { status, sent } = await ask(path, 'paid/openai', { models: ['dear/one'], prompt: 'hi' });
    expect(status).toBe(200);
    expect(sent).not.toHaveProperty('models');
  }
});
