import { describe, expect, test } from 'bun:test';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { anthropicKind } from '../anthropic.ts';
import { geminiKind } from '../gemini.ts';
import { openaiKind } from '../openai.ts';

const target = { baseUrl: 'http://up', credential: 'c', modelName: 'm-1' };
const kinds = { openai: openaiKind, anthropic: anthropicKind, gemini: geminiKind };
const common = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const conversationOf = {
  chat: (body: Json) => parseChatRequest({ ...common, ...body }),
  messages: (body: Json) => parseMessagesRequest({ ...common, ...body }),
};
const fn = { type: 'function', function: { name: 'f', parameters: {} } };
const tool = { name: 'f', input_schema: { type: 'object' } };

const asked: ['chat' | 'messages', Json, string][] = [
  ['chat', { tools: [{ type: 'web_search' }] }, 'web_search'],
  ['chat', { tools: [fn, { type: 'custom', custom: { name: 'c' } }] }, 'custom'],
  ['chat', { tools: [fn], tool_choice: { type: 'allowed_tools', allowed_tools: {} } }, 'allowed_tools'],
  ['chat', { web_search_options: {} }, 'web_search_options'],
  ['chat', { plugins: [{ id: 'web' }] }, 'plugins'],
  ['chat', { search_parameters: { mode: 'on' } }, 'search_parameters'],
  ['messages', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'web_search_20250305'],
  ['messages', { tools: [tool, { type: 'bash_20250124', name: 'bash' }] }, 'bash_20250124'],
  ['messages', { tools: [tool, { type: 'mcp_toolset', mcp_server_name: 'x' }] }, 'mcp_toolset'],
  ['messages', { mcp_servers: [{ type: 'url', url: 'https://x', name: 'x' }] }, 'mcp_servers'],
];
const ownKind = { chat: 'openai', messages: 'anthropic' };

describe.each(asked)('%s %j', (format, body, named) => {
  test.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s carries it or refuses it by name', (name) => {
    const send = () => kinds[name].toUpstream(conversationOf[format](body), target).body as string;
    if (name === ownKind[format]) expect(JSON.parse(send())).toMatchObject(body);
    else {
      expect(send).toThrow(`'${named}'`);
      expect(send).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
    }
  });
});

test.each([
  { tools: [fn], plugins: [], mcp_servers: null, web_search_options: null },
  { search_parameters: { mode: 'off' }, enable_search: false },
])('what is switched off is no reason to refuse: %j', (body) => {
  for (const kind of Object.values(kinds)) kind.toUpstream(conversationOf.chat(body), target);
});

describe('tool_choice in the words of other vendors', () => {
  test.each(['any', 'required', { type: 'any' }, { type: 'required' }])('%j: some tool must be called', (choice) => {
    const body = (kind: keyof typeof kinds) =>
      JSON.parse(
        kinds[kind].toUpstream(conversationOf.chat({ tools: [fn], tool_choice: choice }), target).body as string,
      );
    expect(body('openai').tool_choice).toBe('required');
    expect(body('anthropic').tool_choice).toEqual({ type: 'any' });
    expect(body('gemini').toolConfig.functionCallingConfig).toEqual({ mode: 'ANY' });
  });

  test('Anthropic’s of one tool', () => {
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
