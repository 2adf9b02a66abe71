import { describe, expect, test } from 'bun:test';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { anthropicKind } from '../anthropic.ts';
import { bedrockKind } from '../bedrock.ts';
import { vertexKind } from '../vertex.ts';

const hi = { role: 'user', content: 'hi' };
const tool = { name: 'f', input_schema: { type: 'object' } };
const account = JSON.stringify({ project_id: 'p', client_email: 'a@b', private_key: 'k' });
const claudeCode =
  'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,' +
  'prompt-caching-scope-2026-01-05,advanced-tool-use-2025-11-20,effort-2025-11-24';
const at = {
  anthropic: { kind: anthropicKind, modelName: 'claude-opus-4-8', baseUrl: 'https://api.anthropic.com' },
  bedrock: {
    kind: bedrockKind,
    modelName: 'us.anthropic.claude-opus-4-8-v1:0',
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  },
  vertex: {
    kind: vertexKind,
    modelName: 'claude-opus-4-8',
    baseUrl: 'https://aiplatform.googleapis.com/v1/projects/p/locations/global',
  },
};
type Place = keyof typeof at;

function sent(place: Place, body: Json, counted = false) {
  const { kind, modelName, baseUrl } = at[place];
  const clientHeaders = { 'anthropic-beta': claudeCode };
  const target = { baseUrl, credential: account, modelName, clientHeaders };
  const own = kind.forModel?.(modelName) ?? kind;
  const conversation = parseMessagesRequest({ model: 'm', max_tokens: 100, messages: [hi], ...body });
  const request = (counted ? own.countTokens! : own).toUpstream(conversation, target);
  return { headers: request.headers, body: JSON.parse(request.body as string) as Json };
}

const shared = { type: 'ephemeral', ttl: '1h', scope: 'global' };
const kept = { type: 'ephemeral', ttl: '1h' };
const marked = (cache_control: Json): Json => ({
  system: [{ type: 'text', text: 's', cache_control }],
  tools: [{ ...tool, cache_control }],
  messages: [
    hi,
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'a', cache_control }] }],
    },
  ],
});

/** As Claude Code, Zed and others ask Anthropic itself; what a reseller is sent of it. */
const asked: [name: string, given: Json, taken: Json][] = [
  ['a cache scope', marked(shared), marked(kept)],
  ['eager input streaming', { tools: [{ ...tool, eager_input_streaming: true }] }, { tools: [tool] }],
  ['cache diagnostics', { diagnostics: { previous_message_id: null } }, {}],
  [
    'a cache marker for the whole request',
    { cache_control: shared },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: kept }] }] },
  ],
  [
    'a cache marker for the whole request when the last block has one',
    { cache_control: kept, messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: kept }] }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: kept }] }] },
  ],
];

describe.each(asked)('%s', (_, given, taken) => {
  test('is forwarded to Anthropic', () => {
    expect(sent('anthropic', given).body).toMatchObject(given);
  });

  test.each(['bedrock', 'vertex'] as const)('is dropped for %s, which would reject the request', (place) => {
    const { anthropic_version: version, anthropic_beta: betas, ...body } = sent(place, given).body;
    expect(body).toEqual({ max_tokens: 100, messages: [hi], ...taken });
  });
});

test('each vendor gets only the betas it knows, under its own names', () => {
  expect(sent('anthropic', {}).headers['anthropic-beta']).toBe(claudeCode);
  expect(sent('bedrock', {}).body.anthropic_beta).toEqual([
    ...['context-management-2025-06-27', 'effort-2025-11-24', 'interleaved-thinking-2025-05-14'],
    ...['tool-examples-2025-10-29', 'tool-search-tool-2025-10-19'],
  ]);
  const known = 'context-management-2025-06-27,interleaved-thinking-2025-05-14,tool-search-tool-2025-10-19';
  expect(sent('vertex', {}).headers['anthropic-beta']).toBe(known);
  const search = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
  expect(sent('vertex', search).headers['anthropic-beta']).toBe(`${known},web-search-2025-03-05`);
  expect(sent('vertex', search, true).headers['anthropic-beta']).toBe(known);
});

test('for Bedrock models without structured output, the schema becomes an instruction and tools lose strict', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const output_config = { effort: 'high', format: { type: 'json_schema', schema } };
  const given = { system: 'Be brief.', output_config, tools: [{ ...tool, strict: true }] };
  const { kind, baseUrl } = at.bedrock;
  const sentTo = (modelName: string) => {
    const own = kind.forModel?.(modelName) ?? kind;
    const conversation = parseMessagesRequest({ model: 'm', max_tokens: 100, messages: [hi], ...given });
    return JSON.parse(own.toUpstream(conversation, { baseUrl, credential: account, modelName }).body as string) as Json;
  };
  expect(sentTo('eu.anthropic.claude-opus-4-6-v1:0')).toMatchObject(given);
  for (const name of ['us.anthropic.claude-opus-4-7', 'global.anthropic.claude-opus-5-5']) {
    const { system, output_config: config, tools } = sentTo(name);
    expect([config, tools]).toEqual([{ effort: 'high' }, [tool]]);
    expect(system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: expect.stringContaining(JSON.stringify(schema)) },
    ]);
  }
});
