import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { parseMessagesRequest } from './request.ts';

const hello = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };

function refusal(body: unknown): { code: string; param: string | undefined } {
  try {
    parseMessagesRequest(body);
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, param: error.extras.param };
    throw error;
  }
  throw new Error('the body was accepted');
}

describe('parseMessagesRequest', () => {
  const tool = (name: string) => ({ name, input_schema: { type: 'object' } });
  const change = (type: string, of: object) => ({ type, tool: of });
  const named = (name: string) => ({ type: 'tool_reference', name });
  const defined = (name: string) => ({ type: 'tool_definition', definition: tool(name) });

  test.each([
    ['unchanged', [], ['find', 'look']],
    ['without removed tools', [change('tool_removal', named('find'))], ['look']],
    [
      'with tools added back',
      [change('tool_removal', named('find')), change('tool_addition', named('find'))],
      ['find', 'look'],
    ],
    ['with tools defined in the conversation', [change('tool_addition', defined('ask'))], ['find', 'look', 'ask']],
    [
      'as listed in a compaction',
      [{ type: 'compaction', tool_changes: [change('tool_removal', named('look'))] }],
      ['find'],
    ],
  ])('effective tools at the end: %s', (_, content, left) => {
    const messages = [...hello.messages, { role: 'system', content }, ...hello.messages];
    const { params } = parseMessagesRequest({ ...hello, messages, tools: [tool('find'), tool('look')] });
    expect(params.tools!.map(({ name }) => name)).toEqual(left);
  });

  test('a compaction replaces earlier messages, and a system message may apply to one turn', () => {
    const [user] = hello.messages;
    const said = { role: 'assistant', content: [{ type: 'compaction', content: 'They spoke of tea.' }] };
    const once = { role: 'system', content: 'Be brief.', clear_at: 'next_user_message' };
    const { turns, system } = parseMessagesRequest({ ...hello, messages: [said, user, once, user] });
    expect(turns[0]!.parts).toEqual([{ type: 'text', text: 'They spoke of tea.' }]);
    expect(system).toEqual([]);
    expect(parseMessagesRequest({ ...hello, messages: [user, once] }).system).toEqual([
      { type: 'text', text: 'Be brief.' },
    ]);
  });

  // Other formats have only text in results; beside them, a text would seem to be the user's.
  test('passages and text documents in a result are its text', () => {
    const passage = {
      type: 'search_result',
      source: 'https://a.example/',
      title: 'Tea',
      content: [{ type: 'text', text: 'green' }],
    };
    const document = {
      type: 'document',
      title: 'notes',
      source: { type: 'text', media_type: 'text/plain', data: 'black' },
    };
    const plain = { type: 'document', source: { type: 'content', content: 'white' } };
    const result = { type: 'tool_result', tool_use_id: 't', content: [passage, document, plain] };
    const { turns } = parseMessagesRequest({ ...hello, messages: [{ role: 'user', content: [result] }] });
    const texts = ['Tea\nhttps://a.example/\n\ngreen', 'notes\nblack', 'white'];
    expect(turns[0]!.parts).toEqual([
      { type: 'tool_result', callId: 't', content: texts.map((text) => ({ type: 'text', text })) },
    ]);
  });

  test('max_tokens is required, except for counting', () => {
    const { max_tokens: _, ...rest } = hello;
    expect(refusal(rest)).toEqual({ code: 'missing_required_parameter', param: 'max_tokens' });
    expect(parseMessagesRequest(rest, 'count_tokens').turns).toHaveLength(1);
  });

  test('errors name the field', () => {
    expect(refusal({ ...hello, max_tokens: '5' }).param).toBe('max_tokens');
    expect(refusal({ ...hello, messages: [{ role: 'bot', content: 'x' }] }).param).toBe('messages[0].role');
    expect(refusal({ ...hello, messages: [{ role: 'user', content: [{ type: 'text' }] }] }).param).toBe(
      'messages[0].content[0].text',
    );
    expect(refusal({ ...hello, tool_choice: { type: 'some' } }).param).toBe('tool_choice.type');
    expect(refusal({ ...hello, thinking: { type: 'enabled' } }).param).toBe('thinking.budget_tokens');
    expect(refusal({ ...hello, system: 7 }).param).toBe('system');
  });

  test('accepts system as string or blocks and keeps cache_control', () => {
    expect(parseMessagesRequest({ ...hello, system: 'be brief' }).system).toEqual([{ type: 'text', text: 'be brief' }]);
    const block = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
    expect(parseMessagesRequest({ ...hello, system: [block] }).system).toEqual([
      { type: 'text', text: 'a', cacheControl: { type: 'ephemeral' } },
    ]);
  });

  test('reads blocks of every kind', () => {
    const { turns } = parseMessagesRequest({
      ...hello,
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'Abc+/==' },
            { type: 'redacted_thinking', data: 'secret' },
            { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'r' }], is_error: true },
            { type: 'tool_result', tool_use_id: 't2', content: 'plain' },
            { type: 'tool_result', tool_use_id: 't3' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iV' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'doc' }, title: 'T' },
          ],
        },
      ],
    });
    expect(turns[0]?.parts.map((part) => part.type)).toEqual(['thinking', 'redacted_thinking', 'tool_call', 'raw']);
    expect(turns[0]?.parts[0]).toEqual({ type: 'thinking', text: 'hm', signature: 'Abc+/==' });
    expect(turns[0]?.parts[2]).toEqual({ type: 'tool_call', id: 't1', name: 'f', arguments: '{"a":1}' });
    expect(turns[1]?.parts).toEqual([
      { type: 'tool_result', callId: 't1', content: [{ type: 'text', text: 'r' }], isError: true },
      { type: 'tool_result', callId: 't2', content: [{ type: 'text', text: 'plain' }] },
      { type: 'tool_result', callId: 't3', content: [] },
      { type: 'image', source: { mediaType: 'image/png', data: 'iV' } },
      { type: 'file', source: { text: 'doc' }, name: 'T' },
    ]);
  });

  test('reads parameters', () => {
    const { params } = parseMessagesRequest({
      ...hello,
      stop_sequences: ['x'],
      top_k: 5,
      tools: [
        { name: 'f', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      metadata: { user_id: 'u' },
    });
    expect(params).toEqual({
      maxTokens: 100,
      topK: 5,
      stop: ['x'],
      tools: [{ name: 'f', parameters: { type: 'object' }, cacheControl: { type: 'ephemeral' } }],
      webSearch: { name: 'web_search_20250305', offered: true },
      toolChoice: { type: 'required' },
      parallelToolCalls: false,
      reasoning: { budgetTokens: 2000 },
      user: 'u',
    });
  });

  test('deferred tools are offered immediately instead of Anthropic’s tool search', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }];
    const paramsWith = (...more: unknown[]) => parseMessagesRequest({ ...hello, tools: [...tools, ...more] }).params;
    for (const way of ['regex', 'bm25'])
      for (const type of [`tool_search_tool_${way}`, `tool_search_tool_${way}_20251119`])
        expect(paramsWith({ type, name: `tool_search_tool_${way}` })).toEqual(paramsWith());
  });
});
