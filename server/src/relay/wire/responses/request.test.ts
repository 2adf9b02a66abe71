import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { anthropicKind } from '../../providers/anthropic.ts';
import { geminiKind } from '../../providers/gemini.ts';
import type { Target } from '../../providers/kind.ts';
import { openaiKind } from '../../providers/openai.ts';
import type { Json } from '../conversation.ts';
import { parseResponsesRequest } from './request.ts';
import { pack } from './thoughts.ts';

const ask = (body: Json) => parseResponsesRequest({ model: 'm', input: 'hi', ...body });
const turnsOf = (input: unknown) => ask({ input }).turns;
const at = (baseUrl: string, modelName = 'x'): Target => ({ baseUrl, credential: 'k', modelName });
const openai = at('https://api.openai.com/v1', 'gpt-5');
const sentTo = (kind: typeof openaiKind, target: Target, body: Json): Json =>
  JSON.parse(kind.toUpstream(ask(body), target).body as string);

function refusal(act: () => unknown): { code: string; status: number; param: string | undefined; message: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError)
      return { code: error.code, status: error.status, param: error.extras.param, message: error.message };
    throw error;
  }
  throw new Error('the body was accepted');
}
const user = { role: 'user', content: 'hi' };

describe('items', () => {
  test('accepts a string, the short form and messages of all roles', () => {
    expect(turnsOf('hi')).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]);
    const { system, turns } = ask({
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'one' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'two' }] },
        { role: 'user', content: 'hi' },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          content: [{ type: 'output_text', text: 'a', annotations: [] }],
        },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      ],
    });
    expect(system.map(({ text }) => text)).toEqual(['Be brief.', 'one', 'two']);
    expect(turns).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'no', refusal: true }] },
    ]);
  });

  test('accepts images, files and audio', () => {
    const content = [
      { type: 'input_image', image_url: 'data:image/png;base64,iV', detail: 'low' },
      { type: 'input_image', image_url: 'https://x.test/a.png' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,JV', filename: 'a.pdf' },
      { type: 'input_file', file_url: 'https://x.test/a.pdf' },
      { type: 'input_audio', input_audio: { data: 'UkI', format: 'wav' } },
      { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } },
    ];
    expect(turnsOf([{ role: 'user', content }])[0]!.parts).toEqual([
      { type: 'image', source: { mediaType: 'image/png', data: 'iV' }, detail: 'low' },
      { type: 'image', source: { url: 'https://x.test/a.png' } },
      { type: 'file', source: { mediaType: 'application/pdf', data: 'JV' }, name: 'a.pdf' },
      { type: 'file', source: { url: 'https://x.test/a.pdf' } },
      { type: 'audio', data: 'UkI', format: 'wav' },
      { type: 'text', text: 'x', cacheControl: { type: 'ephemeral' } },
    ]);
  });

  test('one answer becomes one turn, and results follow their calls', () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{"a":1}' });
    const turns = turnsOf([
      user,
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [],
        encrypted_content: pack([{ type: 'thinking', text: 'hm', signature: 's' }]),
      },
      { role: 'assistant', content: 'Let me see.' },
      call('c1'),
      call('c2'),
      { role: 'user', content: 'quick!' },
      { type: 'function_call_output', call_id: 'c2', output: 'two' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'one' }] },
    ]);
    expect(turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ['user', 'text'],
      ['assistant', 'thinking', 'text', 'tool_call', 'tool_call'],
      ['user', 'tool_result', 'tool_result'],
      ['user', 'text'],
    ]);
    expect(turns[1]!.parts[0]).toEqual({ type: 'thinking', text: 'hm', signature: 's' });
    expect(turns[2]!.parts[1]).toEqual({ type: 'tool_result', callId: 'c1', content: [{ type: 'text', text: 'one' }] });
  });

  test('custom calls carry their text as a function argument', () => {
    const turns = turnsOf([
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'a "b"\n' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
    ]);
    expect(turns[0]!.parts).toEqual([
      { type: 'tool_call', id: 'c', name: 'patch', arguments: '{"input":"a \\"b\\"\\n"}' },
    ]);
    expect(turns[1]!.parts[0]).toMatchObject({ type: 'tool_result', callId: 'c' });
  });

  test.each([
    [{ input: [{ type: 'function_call_output', call_id: 'c9', output: 'x' }] }, 'input[0].call_id', 'c9'],
    [{ input: [{ role: 'bot', content: 'x' }] }, 'input[0].role', 'developer'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]', 'msg_1'],
    [
      { input: [{ type: 'reasoning', summary: [], encrypted_content: 'svc1.x:y' }] },
      'input[0].encrypted_content',
      'changed',
    ],
    [{ input: [{ type: 'item_reference', id: { toString: 1, valueOf: 1 } }] }, 'input[0].id', 'string'],
    [{ input: [] }, 'input', 'at least one'],
    [{ input: null }, 'input', 'Missing'],
    [{ input: 7 }, 'input', 'string'],
    [{ input: [7] }, 'input[0]', 'object'],
    [{ messages: [user] }, 'messages', 'input'],
    [{ max_tokens: 5 }, 'max_tokens', 'max_output_tokens'],
    [{ include: ['dreams'] }, 'include[0]', 'reasoning.encrypted_content'],
    [{ metadata: { a: 1 } }, 'metadata.a', 'string'],
    [{ truncation: 'some' }, 'truncation', 'auto'],
    [{ tool_choice: { type: 'function', name: 'g' } }, 'tool_choice', 'g'],
    [{ text: { format: { type: 'yaml' } } }, 'text.format.type', 'json_schema'],
  ])('%j is rejected by name', (body, param, word) => {
    const { status, param: named, message } = refusal(() => ask(body as Json));
    expect({ status, param: named }).toEqual({ status: 400, param });
    expect(message).toContain(word);
  });

  test('reasoning of another vendor is dropped', () => {
    expect(turnsOf([user, { type: 'reasoning', summary: [], encrypted_content: 'gAAAAAB' }])).toHaveLength(1);
  });

  test('many items are read in linear time', () => {
    const many = <T>(make: (i: number) => T) => Array.from({ length: 20_000 }, (_, i) => make(i));
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }] };
    expect(turnsOf(many(() => thought))).toHaveLength(1);
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'c', output: '' };
    expect(turnsOf([call, ...many(() => user), ...many(() => output)])).toHaveLength(20_002);
  });
});

describe('tools', () => {
  const f = { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true };
  const patch = {
    type: 'custom',
    name: 'patch',
    description: 'Edits.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  };
  const space = {
    type: 'namespace',
    name: 'crm',
    description: 'Customers.',
    tools: [{ type: 'function', name: 'find' }, patch],
  };

  test('functions, custom tools and namespaces are flattened and restored', () => {
    const { params, echo } = ask({ tools: [f, patch, space] });
    expect(params.tools!.map(({ name }) => name)).toEqual(['f', 'patch', 'crm__find', 'crm__patch']);
    expect(params.tools![1]).toMatchObject({ parameters: { required: ['input'] } });
    expect(params.tools![1]!.description).toContain('start: "x"');
    expect(params.tools![2]!.description).toBe('Customers.');
    expect([...echo!.tools]).toEqual([
      ['patch', { name: 'patch', custom: true }],
      ['crm__find', { name: 'find', namespace: 'crm' }],
      ['crm__patch', { name: 'patch', namespace: 'crm', custom: true }],
    ]);
  });

  test('flat names that are long, unusual or taken stay distinct and match earlier calls', () => {
    const tool = { type: 'function', name: 'find' };
    const spaces = ['a.b', 'x'.repeat(80), 'crm'].map((name) => ({ type: 'namespace', name, tools: [tool] }));
    const { params, turns } = ask({
      tools: [{ type: 'function', name: 'crm__find' }, ...spaces],
      input: [{ type: 'function_call', call_id: 'c', name: 'find', namespace: 'crm', arguments: '{}' }],
    });
    const names = params.tools!.map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(turns[0]!.parts[0]).toMatchObject({ name: names[3] });
  });

  test('accepts every form of tool_choice', () => {
    const tools = [f, patch, space];
    const choice = (tool_choice: unknown) => ask({ tools, tool_choice }).params;
    expect(choice('required').toolChoice).toEqual({ type: 'required' });
    expect(choice({ type: 'function', name: 'f' }).toolChoice).toEqual({ type: 'tool', name: 'f' });
    expect(choice({ type: 'custom', name: 'patch' }).toolChoice).toEqual({ type: 'tool', name: 'patch' });
    const some = choice({ type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'patch' }] });
    expect(some.toolChoice).toEqual({ type: 'required' });
    expect(some.tools!.map(({ name }) => name)).toEqual(['patch']);
    const spaced = choice({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'namespace', name: 'crm' }] });
    expect(spaced.tools!.map(({ name }) => name)).toEqual(['crm__find', 'crm__patch']);
  });

  const kinds = [
    ['openai', openaiKind, openai],
    ['anthropic', anthropicKind, at('https://api.anthropic.com', 'claude-sonnet-4-5')],
    ['gemini', geminiKind, at('https://g.test/v1beta', 'gemini-3-pro')],
  ] as const;
  const builtIn = [
    'file_search',
    'computer_use_preview',
    'code_interpreter',
    'image_generation',
    'mcp',
    'local_shell',
    'shell',
    'apply_patch',
  ];

  test.each(kinds)('OpenAI’s built-in tools are rejected by name: %s', (_, kind, target) => {
    for (const type of builtIn) {
      const told = refusal(() => sentTo(kind, target, { tools: [f, { type }] }));
      expect(told).toMatchObject({ code: 'unsupported_parameter', status: 400, param: 'tools' });
      expect(told.message).toContain(`'${type}'`);
    }
    const choice = refusal(() => sentTo(kind, target, { tools: [f], tool_choice: { type: 'web_search_preview' } }));
    expect(choice).toMatchObject({ param: 'tool_choice', status: 400 });
    const item = refusal(() => sentTo(kind, target, { input: [user, { type: 'file_search_call', id: 'fs_1' }] }));
    expect(item.message).toContain('file_search_call');
    const file = { role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] };
    expect(refusal(() => sentTo(kind, target, { input: [file] })).message).toContain('file_id');
    expect(refusal(() => sentTo(kind, target, { prompt: { id: 'p' } }))).toMatchObject({
      param: 'prompt',
      status: 400,
    });
  });

  test('a file URL is sent if supported, else rejected', () => {
    const input = [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://x.test/a.pdf' }] }];
    expect(refusal(() => sentTo(openaiKind, openai, { input })).message).toContain('file_url');
    const [message] = sentTo(anthropicKind, kinds[1][2], { input }).messages as { content: Json[] }[];
    expect(message!.content[0]).toMatchObject({ type: 'document', source: { type: 'url' } });
  });

  test('parameters get their chat names, and hints are sent only where known', () => {
    const body = {
      tools: [f],
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }, verbosity: 'low' },
      include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
      top_logprobs: 2,
      parallel_tool_calls: false,
      safety_identifier: 'u1',
      prompt_cache_key: 'k',
      service_tier: 'auto',
      store: true,
      metadata: { a: 'b' },
      truncation: 'auto',
      stream_options: { include_obfuscation: false },
    };
    expect(sentTo(openaiKind, openai, body)).toEqual({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'hi' }],
      stream: false,
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 50,
      logprobs: true,
      top_logprobs: 2,
      user: 'u1',
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} }, strict: true } },
      ],
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      reasoning_effort: 'low',
      verbosity: 'low',
      prompt_cache_key: 'k',
      service_tier: 'auto',
    });
    const elsewhere = sentTo(openaiKind, at('https://llm.test/v1'), body);
    for (const name of ['verbosity', 'prompt_cache_key', 'service_tier', 'metadata', 'store'])
      expect(elsewhere).not.toHaveProperty(name);
  });
});
