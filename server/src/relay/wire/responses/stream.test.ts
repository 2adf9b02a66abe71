import { describe, expect, test } from 'bun:test';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { AppError } from '../../../lib/errors.ts';
import type { Answer, Delta, Json, Part, ToolName } from '../conversation.ts';
import { deltasOf, renderResponsesAnswer } from './answer.ts';
import { echoOf } from './echo.ts';
import { parseResponsesRequest } from './request.ts';
import { ResponsesStream } from './stream.ts';
import { pack, unpack } from './thoughts.ts';

const names: [string, ToolName][] = [
  ['patch', { name: 'patch', custom: true }],
  ['crm__find', { name: 'find', namespace: 'crm' }],
  ['tool_search', { name: 'tool_search', search: true }],
];
const options = {
  model: 'm',
  id: 'resp_1',
  created: 5,
  now: () => 9,
  echo: { members: echoOf({ metadata: { a: 'b' } }), tools: new Map(names) },
};
const usage = { promptTokens: 3, completionTokens: 4, reasoningTokens: 2, cacheReadTokens: 1 };

// biome-ignore lint/suspicious/noExplicitAny: events are read as clients read them, field by field
type Loose = any;
const eventsIn = (text: string): Loose[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [name, data] = frame.split('\n');
      const event = JSON.parse(data!.slice('data: '.length));
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });

function streamed(deltas: Delta[], ended?: (response: Json) => void): Loose[] {
  const stream = new ResponsesStream({ ...options, ...(ended && { onEnded: ended }) });
  const events = eventsIn(deltas.map((delta) => stream.push(delta)).join(''));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
  return events;
}

/** What OpenAI's own library makes of the events before the last, and what the last says. */
function replayed(events: Loose[]): { grown: Loose; told: Loose } {
  let grown: Loose;
  for (const event of events.slice(0, -1)) grown = accumulateResponse(event as ResponseStreamEvent, grown);
  return { grown: grown.output, told: events.at(-1).response.output };
}

const end: Delta[] = [{ type: 'finish', finish: 'stop' }, { type: 'usage', usage }, { type: 'end' }];
const kinds = (events: Loose[]): string[] => events.map(({ type }) => type.replace('response.', ''));

describe('events', () => {
  test('text', () => {
    const events = streamed([{ type: 'start' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }, ...end]);
    expect(kinds(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    const { response } = events.at(-1);
    expect(response).toMatchObject({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      created_at: 5,
      completed_at: 9,
      error: null,
      incomplete_details: null,
      metadata: { a: 'b' },
      tool_choice: 'auto',
      output: [
        {
          id: expect.stringMatching(/^msg_/),
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'ab', annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 7,
      },
    });
    const { grown, told } = replayed(events);
    expect(grown).toEqual(told);
  });

  test('reasoning, a refusal, and interleaved calls', () => {
    const events = streamed([
      { type: 'thinking', text: 'hm' },
      { type: 'signature', signature: 'S' },
      { type: 'thinking', text: 'so' },
      { type: 'text', text: 'No.', refusal: true },
      { type: 'tool_start', index: 0, id: 'c0', name: 'crm__find' },
      { type: 'tool_start', index: 1, id: 'c1', name: 'patch', signature: 'G' },
      { type: 'tool_args', index: 0, args: '{"a"' },
      { type: 'tool_args', index: 1, args: '{"input":"x\\ny"}' },
      { type: 'tool_args', index: 0, args: ':1}' },
      ...end,
    ]);
    expect(kinds(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'refusal.delta',
      'refusal.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'output_item.added',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ]);
    const { grown, told } = replayed(events);
    expect(grown).toEqual(told);
    expect(told.map(({ type }: Json) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'reasoning',
      'custom_tool_call',
    ]);
    expect(told[2]).toMatchObject({ call_id: 'c0', name: 'find', namespace: 'crm', arguments: '{"a":1}' });
    expect(told[4]).toMatchObject({ call_id: 'c1', name: 'patch', input: 'x\ny' });
    expect(unpack(told[3].encrypted_content, 'x')).toEqual([{ type: 'call', id: 'c1', signature: 'G' }]);
  });

  test('a call without arguments has an empty object', () => {
    const events = streamed([{ type: 'tool_start', index: 0, id: 'c0', name: 'f' }, ...end]);
    expect(events.at(-1).response.output[0].arguments).toBe('{}');
    expect(replayed(events).grown[0].arguments).toBe('{}');
  });

  test.each([
    ['{"query":', '"crm"}', { query: 'crm' }],
    ['', '', {}],
    ['crm', '', 'crm'],
  ])('a tool search is sent in one piece: %s%s', (first, second, asked) => {
    const begun: Delta = { type: 'tool_start', index: 0, id: 'c0', name: 'tool_search' };
    const args = [first, second].map((text): Delta => ({ type: 'tool_args', index: 0, args: text }));
    const events = streamed([begun, ...args, ...end]);
    const { grown, told } = replayed(events);
    expect(kinds(events).slice(2)).toEqual(['output_item.added', 'output_item.done', 'completed']);
    expect(grown).toEqual(told);
    expect(told).toEqual([
      {
        ...{ id: expect.stringMatching(/^tsc_/), type: 'tool_search_call', status: 'completed' },
        ...{ call_id: 'c0', execution: 'client', arguments: asked },
      },
    ]);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('%s makes the response incomplete', (finish, reason) => {
    const events = streamed([{ type: 'text', text: 'a' }, { type: 'finish', finish }, { type: 'end' }]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason }, output: [{ status: 'incomplete' }] },
    });
  });

  test('an interrupted stream ends with a failed response, or with an error if none was begun', () => {
    const fault = new AppError('provider_error', 'It broke.');
    const ended: Json[] = [];
    const stream = new ResponsesStream({ ...options, onEnded: (response) => ended.push(response) });
    const begun = stream.push({ type: 'text', text: 'half' });
    const events = eventsIn(begun + stream.fail(fault));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      sequence_number: events.length - 1,
      response: { status: 'failed', error: { code: 'provider_error', message: 'It broke.' } },
    });
    expect(events.at(-1).response.output[0]).toMatchObject({ status: 'incomplete', content: [{ text: 'half' }] });
    expect(ended).toHaveLength(1);
    expect(eventsIn(new ResponsesStream(options).fail(fault))).toEqual([
      expect.objectContaining({ type: 'error', code: 'provider_error', message: 'It broke.', sequence_number: 0 }),
    ]);
  });

  test('locally counted usage is added to the last event', () => {
    const ended: Json[] = [];
    const stream = new ResponsesStream({ ...options, onEnded: (response) => ended.push(response) });
    const text = stream.push({ type: 'text', text: 'a' }) + stream.push({ type: 'end' });
    const events = eventsIn(stream.withUsage(text, usage));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    expect(events.at(-1).response.usage).toMatchObject({ input_tokens: 3, output_tokens: 4 });
    expect(ended[0]!.usage).toMatchObject({ total_tokens: 7 });
  });

  test('nothing is sent before there is output', () => {
    const stream = new ResponsesStream(options);
    expect(stream.push({ type: 'start', id: 'x' }) + stream.push({ type: 'usage', usage })).toBe('');
    expect(stream.push({ type: 'start', sure: true })).toContain('response.created');
  });
});

test('a whole answer equals its stream', () => {
  const answer: Answer = {
    id: 'x',
    model: 'up',
    finish: 'tool_calls',
    usage,
    extra: { svc_ms_meta: { tasks_total: 1 } },
    parts: [
      { type: 'thinking', text: 'hm', signature: 'S' },
      { type: 'redacted_thinking', data: 'zz' },
      { type: 'raw', format: 'chat', value: { type: 'reasoning.summary', summary: 's', index: 0 } },
      { type: 'text', text: 'Well.', logprobs: [{ token: 'Well.', logprob: 0 }] },
      { type: 'tool_call', id: 'c', name: 'f', arguments: '{"a":1}' },
    ],
  };
  const whole = renderResponsesAnswer(answer, options) as Loose;
  const events = streamed([
    ...answer.parts.flatMap(deltasOf),
    { type: 'finish', finish: 'tool_calls', extra: answer.extra! },
    { type: 'usage', usage },
    { type: 'end' },
  ]);
  const withoutIds = (response: Loose) => JSON.parse(JSON.stringify(response).replace(/"(rs|msg|fc)_\w+"/g, '"$1"'));
  expect(withoutIds(events.at(-1).response)).toEqual(withoutIds(whole));
  expect(whole.svc_ms_meta).toEqual({ tasks_total: 1 });
  expect(whole.output[1].content[0].logprobs).toHaveLength(1);
});

test('a generated image is an item, and is read back as an image', () => {
  const picture = { type: 'image' as const, source: { mediaType: 'image/jpeg', data: '/9j/4AAQ' } };
  const parts: Part[] = [{ type: 'text', text: 'Here.' }, picture];
  const { output } = renderResponsesAnswer({ id: 'x', model: 'up', parts, finish: 'stop' }, options) as Loose;
  expect(output[1]).toMatchObject({ type: 'image_generation_call', status: 'completed', result: '/9j/4AAQ' });
  const { turns } = parseResponsesRequest({ model: 'm', input: [{ role: 'user', content: 'hi' }, ...output] });
  expect(turns.slice(1)).toEqual([
    { role: 'assistant', parts: [parts[0]!] },
    { role: 'user', parts: [picture] },
  ]);
});

test('pieces of a reasoning detail are joined', () => {
  const detail = (summary: string): Json => ({ type: 'reasoning.summary', summary, index: 0, id: null });
  const packed = pack([
    { type: 'detail', detail: detail('a') },
    { type: 'detail', detail: detail('b') },
  ]);
  expect(unpack(packed, 'x')).toEqual([{ type: 'detail', detail: detail('ab') }]);
});
