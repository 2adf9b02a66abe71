import { describe, expect, test } from 'bun:test';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { anthropicKind } from '../anthropic.ts';
import { bedrockKind } from '../bedrock.ts';
import { geminiKind } from '../gemini.ts';
import type { ProviderKind, Target } from '../kind.ts';
import { openaiKind } from '../openai.ts';
import { vertexKind } from '../vertex.ts';

const target = { baseUrl: 'http://up', credential: 'c', modelName: 'm-1' };
const kinds = { openai: openaiKind, anthropic: anthropicKind, gemini: geminiKind };
const common = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const conversationOf = {
  chat: (body: Json) => parseChatRequest({ ...common, ...body }),
  messages: (body: Json) => parseMessagesRequest({ ...common, ...body }),
};
const fn = { type: 'function', function: { name: 'f', parameters: {} } };
const tool = { name: 'f', input_schema: { type: 'object' } };

/** A search by whoever runs one; OpenAI's chat does so for few models. */
const searches: Record<string, Json> = {
  anthropic: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  gemini: { tools: [{ googleSearch: {} }] },
};

const asked: ['chat' | 'messages', Json, string, Record<string, Json>?][] = [
  ['chat', { tools: [{ type: 'web_search' }] }, 'web_search', searches],
  ['chat', { tools: [{ type: 'web_search', external_web_access: false }] }, 'web_search'],
  ['chat', { tools: [fn], tool_choice: { type: 'allowed_tools', allowed_tools: {} } }, 'allowed_tools'],
  ['chat', { web_search_options: {} }, 'web_search_options', searches],
  ['chat', { plugins: [{ id: 'web' }] }, 'plugins', searches],
  ['chat', { plugins: [{ id: 'web', max_results: 3 }] }, 'plugins'],
  ['chat', { search_parameters: { mode: 'on' } }, 'search_parameters'],
  ['messages', searches.anthropic!, 'web_search_20250305', searches],
  [
    'messages',
    {
      tools: [
        { ...tool, name: 'g' },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
    },
    'web_search_20250305',
  ],
  ['messages', { tools: [tool, { type: 'bash_20250124', name: 'bash' }] }, 'bash_20250124'],
  ['messages', { tools: [tool, { type: 'mcp_toolset', mcp_server_name: 'x' }] }, 'mcp_toolset'],
  ['messages', { mcp_servers: [{ type: 'url', url: 'https://x', name: 'x' }] }, 'mcp_servers'],
];
const ownKind = { chat: 'openai', messages: 'anthropic' };

describe.each(asked)('%s %j', (format, body, named, elsewhere = {}) => {
  test.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s forwards it or rejects it by name', (name) => {
    const send = () => kinds[name].toUpstream(conversationOf[format](body), target).body as string;
    const carried = name === ownKind[format] ? body : elsewhere[name];
    if (carried) expect(JSON.parse(send())).toMatchObject(carried);
    else {
      expect(send).toThrow(`'${named}'`);
      expect(send).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
    }
  });
});

test.each([
  { tools: [fn], plugins: [], mcp_servers: null, web_search_options: null },
  { search_parameters: { mode: 'off' }, enable_search: false },
])('disabled features are not rejected: %j', (body) => {
  for (const kind of Object.values(kinds)) kind.toUpstream(conversationOf.chat(body), target);
});

describe('web search on resellers and OpenAI-compatible vendors', () => {
  const search = { name: 'web_search', type: 'web_search_20250305' };
  const asking = (body: Json) => conversationOf.messages({ tools: [search], ...body });
  const at = (provider: string, modelName: string) => ({ ...target, provider, modelName });
  const sent = (kind: ProviderKind, to: Target, body: Json = {}) =>
    JSON.parse(kind.toUpstream(asking(body), to).body as string);

  test('Claude on Vertex AI uses a beta header; on Bedrock it is rejected', () => {
    const vertex = { ...at('vertex', 'claude-opus-4-7'), baseUrl: 'https://aiplatform.googleapis.com' };
    const { headers } = vertexKind.forModel!('claude-opus-4-7').toUpstream(asking({}), vertex);
    expect(headers['anthropic-beta']).toBe('web-search-2025-03-05');
    const claude = bedrockKind.forModel!('anthropic.claude-opus-4-7');
    const bedrock = {
      ...at('bedrock', 'anthropic.claude-opus-4-7'),
      baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    };
    expect(() => claude.toUpstream(asking({}), bedrock)).toThrow("'web_search_20250305'");
  });

  test('OpenRouter uses its own tool, also next to functions', () => {
    const domains = { blocked_domains: ['a.example'] };
    const { tools } = sent(openaiKind, at('openrouter', 'x/y'), { tools: [tool, { ...search, ...domains }] });
    expect(tools.slice(1)).toEqual([
      { type: 'openrouter:web_search', parameters: { excluded_domains: ['a.example'] } },
    ]);
  });

  test.each([
    ['openai', 'gpt-5-search-api', true],
    ['perplexity', 'sonar', true],
    ['openai', 'gpt-5', false],
    ['mistral', 'mistral-large', false],
  ])('%s, %s: supports web_search_options: %p', (provider, model, searches) => {
    const send = () => sent(openaiKind, at(provider, model));
    if (searches) expect(send()).toMatchObject({ web_search_options: {} });
    else expect(send).toThrow("'web_search_20250305'");
  });
});

describe('tool_choice in other vendors’ formats', () => {
  test.each(['any', 'required', { type: 'any' }, { type: 'required' }])('%j: a tool call is required', (choice) => {
    const body = (kind: keyof typeof kinds) =>
      JSON.parse(
        kinds[kind].toUpstream(conversationOf.chat({ tools: [fn], tool_choice: choice }), target).body as string,
      );
    expect(body('openai').tool_choice).toBe('required');
    expect(body('anthropic').tool_choice).toEqual({ type: 'any' });
    expect(body('gemini').toolConfig.functionCallingConfig).toEqual({ mode: 'ANY' });
  });

  test('Anthropic’s choice of one tool', () => {
    const given = conversationOf.chat({ tools: [fn], tool_choice: { type: 'tool', name: 'f' } });
    expect(JSON.parse(openaiKind.toUpstream(given, target).body as string).tool_choice).toEqual({
      type: 'function',
      function: { name: 'f' },
    });
    expect(given.params.toolChoice).toEqual({ type: 'tool', name: 'f' });
    expect(() => conversationOf.chat({ tools: [fn], tool_choice: { type: 'tool' } })).toThrow('tool_choice');
    expect(() => conversationOf.chat({ tools: [fn], tool_choice: 'sometimes' })).toThrow('tool_choice');
  });
});
