import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import { parseChatRequest } from '../../../wire/chat/request.ts';
import type { Conversation, Json, Part, Turn } from '../../../wire/conversation.ts';
import { parseMessagesRequest } from '../../../wire/messages/request.ts';
import { parseResponsesRequest } from '../../../wire/responses/request.ts';
import { distinctCalls } from '../../kind/distinct-calls.ts';
import type { Target } from '../../kind.ts';
import { toResponses } from './request.ts';

const target: Target = {
  baseUrl: 'https://api.openai.com/v1',
  credential: 'sk-x',
  modelName: 'gpt-6-sol',
  provider: 'openai',
};
const sent = (conversation: Conversation, to: Target = target): Json =>
  JSON.parse(toResponses(conversation, to).body as string);

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const detail = { type: 'reasoning.encrypted', id: 'rs_1', data: 'gAAAA', format: 'openai-responses-v1' };
const chat: Json = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather?' },
        { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_details: [detail],
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'Looks', parameters } }],
  tool_choice: { type: 'function', function: { name: 'weather' } },
  parallel_tool_calls: false,
  reasoning_effort: 'high',
  max_completion_tokens: 5,
  response_format: { type: 'json_schema', json_schema: { name: 'sky', schema: parameters, strict: true } },
  verbosity: 'low',
  prompt_cache_key: 'k',
  user: 'u1',
};

test('translates a chat request into one that the SDK’s types allow', () => {
  const expected = {
    model: 'gpt-6-sol',
    instructions: 'Be brief.',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Weather?' },
          { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
      { type: 'message', role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
    ],
    stream: false,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 16,
    tools: [{ type: 'function', name: 'weather', description: 'Looks', parameters, strict: false }],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
    reasoning: { effort: 'high' },
    text: { format: { type: 'json_schema', name: 'sky', schema: parameters, strict: true }, verbosity: 'low' },
    prompt_cache_key: 'k',
    user: 'u1',
  } satisfies ResponseCreateParams;
  expect(sent(parseChatRequest(chat))).toEqual(expected);
});

test('translates a messages request and drops foreign thinking', () => {
  const conversation = parseMessagesRequest({
    model: 'm',
    max_tokens: 3000,
    system: 'Be brief.',
    thinking: { type: 'enabled', budget_tokens: 2000 },
    messages: [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'openai#rs_2#gAAAA' },
          { type: 'thinking', thinking: 'hm', signature: 'Sig+/==' },
          { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'no', is_error: true }] },
    ],
    tools: [{ name: 'weather', input_schema: { type: 'object' } }],
  });
  const expected = {
    model: 'gpt-6-sol',
    instructions: 'Be brief.',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
      {
        type: 'reasoning',
        id: 'rs_2',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'gAAAA',
      },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Error: no' },
    ],
    stream: false,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 3000,
    tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false }],
    reasoning: { effort: 'low' },
  } satisfies ResponseCreateParams;
  expect(sent(conversation)).toEqual(expected);
});

test.each([{ n: 2 }, { stop: ['x'] }, { audio: { voice: 'a', format: 'mp3' } }])(
  'rejects what the format cannot express: %j',
  (fields) => {
    expect(() => sent(parseChatRequest({ ...chat, ...fields }))).toThrow('is not supported');
  },
);

test('a paid model rejects features that are not billed per token', () => {
  const paid = { ...target, paid: true, maxOutputTokens: 1000 };
  for (const fields of [
    { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    { service_tier: 'priority' },
    { prompt: { id: 'pmpt_1' } },
  ])
    expect(() => sent(parseResponsesRequest({ model: 'm', input: 'x', ...fields }), paid)).toThrow('not billed');
});

const word = fc.string({ minLength: 1, maxLength: 10, unit: 'grapheme' });
const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);
const userSays = fc
  .array(
    fc.oneof(
      word.map((text): Json => ({ type: 'text', text })),
      fc.constantFrom('https://x.test/a.png', 'data:image/png;base64,iVBO').map((url): Json => {
        return { type: 'image_url', image_url: { url, detail: 'high' } };
      }),
      fc.constant<Json>({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } }),
      fc.constant<Json>({ type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((content): Json[] => [{ role: 'user', content }]);
const modelSays = word.map((content): Json[] => [{ role: 'assistant', content }]);
const modelCalls = fc
  .record({
    said: fc.option(word),
    calls: fc.array(fc.tuple(name, word), { minLength: 1, maxLength: 3 }),
    result: word,
  })
  .map(({ said, calls, result }): Json[] => [
    {
      role: 'assistant',
      content: said,
      tool_calls: calls.map(([called, value], i) => ({
        id: `c${i}`,
        type: 'function',
        function: { name: called, arguments: JSON.stringify({ value }) },
      })),
    },
    ...calls.map((_, i) => ({ role: 'tool', tool_call_id: `c${i}`, content: result })),
  ]);
const exchange = fc.tuple(userSays, fc.oneof(modelSays, modelCalls)).map((said) => said.flat());
const request = fc
  .record({
    system: word,
    said: fc.array(exchange, { maxLength: 3 }),
    last: userSays,
    fields: fc.record(
      {
        temperature: fc.constantFrom(0, 0.5, 1),
        max_tokens: fc.integer({ min: 16, max: 9999 }),
        reasoning_effort: fc.constantFrom('low', 'medium', 'high', 'xhigh'),
        parallel_tool_calls: fc.boolean(),
        tool_choice: fc.constantFrom('auto', 'none', 'required', { type: 'function', function: { name: 'f' } }),
        response_format: fc.constantFrom(
          { type: 'json_object' },
          { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
        ),
      },
      { requiredKeys: [] },
    ),
  })
  .map(
    ({ system, said, last, fields }): Json => ({
      model: 'm',
      messages: [{ role: 'system', content: system }, ...said.flat(), ...last],
      tools: [{ type: 'function', function: { name: 'f', parameters, strict: true } }],
      ...fields,
    }),
  );

/** Results of one turn of calls may be several turns of the user, or one. */
function joined(turns: Turn[]): Turn[] {
  const out: Turn[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    const isResult = (part: Part) => part.type === 'tool_result';
    if (last?.role === 'user' && last.parts.every(isResult) && turn.parts.every(isResult))
      last.parts.push(...turn.parts);
    else out.push({ role: turn.role, parts: [...turn.parts] });
  }
  return out;
}

test('chat requests survive the translation into a responses request', () => {
  fc.assert(
    fc.property(request, (body) => {
      const said = parseChatRequest(body);
      const read = parseResponsesRequest(sent(said));
      expect(read.system).toEqual(said.system);
      expect(joined(read.turns)).toEqual(joined(distinctCalls(said.turns)));
      expect(read.params).toEqual(said.params);
    }),
    { numRuns: 100 },
  );
});
