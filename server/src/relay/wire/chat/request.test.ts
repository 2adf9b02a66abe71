import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { parseChatRequest } from './request.ts';

const hello = { model: 'demo/chat', messages: [{ role: 'user', content: 'hi' }] };

function refusal(body: unknown): { code: string; param: string | undefined } {
  try {
    parseChatRequest(body);
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, param: error.extras.param };
    throw error;
  }
  throw new Error('the body was accepted');
}

describe('parseChatRequest', () => {
  test('names the missing field', () => {
    expect(refusal({ messages: [] })).toEqual({ code: 'missing_required_parameter', param: 'model' });
    expect(refusal({ model: 'm' })).toEqual({ code: 'missing_required_parameter', param: 'messages' });
    expect(refusal({ model: 'm', messages: [{ role: 'tool', content: 'x' }] })).toEqual({
      code: 'missing_required_parameter',
      param: 'messages[0].tool_call_id',
    });
  });

  test.each([
    ['temperature', 2.1],
    ['temperature', -0.1],
    ['temperature', '1'],
    ['top_p', 1.5],
    ['frequency_penalty', -2.5],
    ['presence_penalty', 3],
    ['max_tokens', 0],
    ['max_tokens', 1.5],
    ['max_completion_tokens', -1],
    ['seed', 1e300],
    ['n', 0],
    ['stream', 'yes'],
    ['stop', 7],
    ['tools', {}],
    ['tool_choice', 'maybe'],
    ['response_format', 'json'],
    ['reasoning_effort', 'huge'],
    ['messages', 'hi'],
    ['messages', []],
  ])('%s = %p is rejected by name', (param, value) => {
    const found = refusal({ ...hello, [param]: value });
    expect(found.code).toBe('invalid_value');
    expect(found.param).toBe(param);
  });

  test('rejects bodies that are not objects', () => {
    for (const body of [null, [], 'x', 7]) expect(refusal(body).code).toBe('invalid_value');
  });

  test('assistant content may be null, absent, empty or an array of parts', () => {
    const contents = [{ content: null }, {}, { content: '' }, { content: [{ type: 'text', text: 'a' }] }];
    const turns = contents.map((content) => {
      const body = { ...hello, messages: [...hello.messages, { role: 'assistant', ...content }] };
      return parseChatRequest(body).turns[1];
    });
    expect(turns.map((turn) => turn?.parts.length)).toEqual([0, 0, 0, 1]);
  });

  test('keeps several system and developer messages in order', () => {
    const { system, turns } = parseChatRequest({
      model: 'm',
      messages: [
        { role: 'system', content: 'one' },
        { role: 'user', content: 'hi' },
        { role: 'developer', content: [{ type: 'text', text: 'two' }] },
      ],
    });
    expect(system.map((part) => part.text)).toEqual(['one', 'two']);
    expect(turns).toHaveLength(1);
  });

  test('accepts images only as data URL or URL', () => {
    const image = (url: string) => ({
      ...hello,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] }],
    });
    expect(parseChatRequest(image('data:image/png;base64,iVBO')).turns[0]?.parts[0]).toEqual({
      type: 'image',
      source: { mediaType: 'image/png', data: 'iVBO' },
      detail: 'low',
    });
    expect(parseChatRequest(image('https://a.test/x.png')).turns[0]?.parts[0]).toMatchObject({
      source: { url: 'https://a.test/x.png' },
    });
    expect(refusal(image('file:///etc/passwd')).param).toBe('messages[0].content[0].image_url.url');
  });

  test('results of parallel calls become one turn, keeping ids and order', () => {
    const { turns } = parseChatRequest({
      model: 'm',
      messages: [
        { role: 'user', content: 'weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'b', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":2}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'b', content: '1' },
        { role: 'tool', tool_call_id: 'a', content: '2' },
      ],
    });
    expect(turns.map((turn) => turn.role)).toEqual(['user', 'assistant', 'user']);
    expect(turns[2]?.parts.map((part) => (part.type === 'tool_result' ? part.callId : ''))).toEqual(['b', 'a']);
  });

  test('accepts stop as string and as array', () => {
    expect(parseChatRequest({ ...hello, stop: 'END' }).params.stop).toEqual(['END']);
    expect(parseChatRequest({ ...hello, stop: ['a', 'b'] }).params.stop).toEqual(['a', 'b']);
  });

  test('ignores empty tools and a choice without tools', () => {
    expect(parseChatRequest({ ...hello, tools: [], tool_choice: 'auto' }).params.tools).toBeUndefined();
  });

  test('null parameters count as absent', () => {
    const body = { ...hello, temperature: null, tools: null, stop: null, stream_options: null, tool_choice: null };
    expect(parseChatRequest(body).params).toEqual({});
  });

  test('keeps signed thinking returned by the client', () => {
    const { turns } = parseChatRequest({
      model: 'm',
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: 'yo',
          reasoning_details: [
            { type: 'reasoning.text', text: 'hm', signature: 'Sig+/=' },
            { type: 'reasoning.encrypted', data: 'xx' },
          ],
        },
      ],
    });
    expect(turns[1]?.parts).toEqual([
      { type: 'thinking', text: 'hm', signature: 'Sig+/=' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'text', text: 'yo' },
    ]);
  });
});

test('tools that are not allowed are not sent; choices of other tools stay unchanged', () => {
  const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }));
  const choosing = (mode: string, ...named: unknown[]) =>
    parseChatRequest({
      ...{ model: 'm', messages: [{ role: 'user', content: 'hi' }], tools },
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: named } },
    }).params;
  expect(choosing('required', tools[1])).toMatchObject({ tools: [{ name: 'g' }], toolChoice: { type: 'required' } });
  for (const { rawToolChoice, tools: all } of [choosing('auto', { type: 'custom' }), choosing('often', tools[0])])
    expect([rawToolChoice?.type, all?.length]).toEqual(['allowed_tools', 2]);
});
