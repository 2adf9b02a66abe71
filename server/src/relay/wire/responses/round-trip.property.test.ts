import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { fromOpenai } from '../../providers/openai/answer.ts';
import { chatRequestOf } from '../../providers/openai/request.ts';
import { parseChatRequest } from '../chat/request.ts';
import type { Delta, Json, Part, ToolName } from '../conversation.ts';
import { renderResponsesAnswer } from './answer.ts';
import { parseResponsesRequest } from './request.ts';
import { ResponsesStream } from './stream.ts';

const numRuns = 150;
const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);
const args = fc
  .dictionary(name, fc.oneof(word, fc.integer(), fc.boolean()), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));

/** A part of a user's message, as chat and as the Responses API have it. */
const userPart: fc.Arbitrary<[chat: Json, responses: Json]> = fc.oneof(
  word.map((text): [Json, Json] => [
    { type: 'text', text },
    { type: 'input_text', text },
  ]),
  fc.constantFrom('https://x.test/a.png', 'data:image/png;base64,iVBO').map((url): [Json, Json] => [
    { type: 'image_url', image_url: { url, detail: 'low' } },
    { type: 'input_image', image_url: url, detail: 'low' },
  ]),
  word.map((filename): [Json, Json] => {
    const file = { filename, file_data: 'data:application/pdf;base64,JVBE' };
    return [
      { type: 'file', file },
      { type: 'input_file', ...file },
    ];
  }),
  fc.constantFrom('mp3', 'wav').map((format): [Json, Json] => {
    const part = { type: 'input_audio', input_audio: { data: 'UklG', format } };
    return [part, part];
  }),
);

interface Said {
  messages: Json[];
  items: Json[];
}

const userSays: fc.Arbitrary<Said> = fc.array(userPart, { minLength: 1, maxLength: 3 }).map((parts) => ({
  messages: [{ role: 'user', content: parts.map(([chat]) => chat) }],
  items: [{ type: 'message', role: 'user', content: parts.map(([, responses]) => responses) }],
}));

const instruction: fc.Arbitrary<Said> = fc
  .record({ role: fc.constantFrom('system', 'developer'), content: word })
  .map((message) => ({
    messages: [message],
    items: [message],
  }));

const modelSays: fc.Arbitrary<Said> = fc
  .record({
    text: fc.option(word),
    calls: fc.uniqueArray(fc.record({ id: fc.uuid(), name, args, result: word }), {
      maxLength: 3,
      selector: ({ id }) => id,
    }),
  })
  .filter(({ text, calls }) => text !== null || calls.length > 0)
  .map(({ text, calls }) => ({
    messages: [
      {
        role: 'assistant',
        content: text,
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.args },
        })),
      },
      ...calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: call.result })),
    ],
    items: [
      ...(text === null
        ? []
        : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }]),
      ...calls.map((call) => ({ type: 'function_call', call_id: call.id, name: call.name, arguments: call.args })),
      ...calls.map((call) => ({ type: 'function_call_output', call_id: call.id, output: call.result })),
    ],
  }));

const talk: fc.Arbitrary<Said> = fc
  .array(fc.tuple(fc.option(instruction, { nil: undefined }), userSays, modelSays), { minLength: 1, maxLength: 3 })
  .map((rounds) => {
    const said = rounds.flat().filter((one) => one !== undefined);
    return { messages: said.flatMap(({ messages }) => messages), items: said.flatMap(({ items }) => items) };
  });

/** Parameters of both under their names in each. */
const params = fc
  .record(
    {
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      top_p: fc.double({ min: 0, max: 1, noNaN: true }),
      limit: fc.integer({ min: 1, max: 9_999 }),
      stop: fc.array(word, { minLength: 1, maxLength: 2 }),
      seed: fc.integer(),
      presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
      parallel_tool_calls: fc.boolean(),
      user: word,
      effort: fc.constantFrom('none', 'low', 'high'),
      schema: fc.record({ name, schema: fc.constant({ type: 'object' }), strict: fc.boolean() }),
      topLogprobs: fc.integer({ min: 0, max: 5 }),
      tools: fc.uniqueArray(
        fc.record({ name, description: word, parameters: fc.constant({ type: 'object' }), strict: fc.boolean() }),
        { minLength: 1, maxLength: 3, selector: (tool) => tool.name },
      ),
      choice: fc.constantFrom('auto', 'none', 'required', 'first'),
    },
    { requiredKeys: [] },
  )
  .map(({ limit, effort, schema, topLogprobs, tools, choice, ...same }): [chat: Json, responses: Json] => {
    const first = tools?.[0]?.name;
    const forced = choice === 'first' ? first && { type: 'function', function: { name: first } } : choice;
    return [
      {
        ...same,
        max_completion_tokens: limit,
        reasoning_effort: effort,
        response_format: schema && { type: 'json_schema', json_schema: schema },
        ...(topLogprobs !== undefined && { logprobs: true, top_logprobs: topLogprobs }),
        tools: tools?.map((tool) => ({ type: 'function', function: tool })),
        tool_choice: tools && forced,
      },
      {
        ...same,
        max_output_tokens: limit,
        reasoning: effort && { effort },
        text: schema && { format: { type: 'json_schema', ...schema } },
        ...(topLogprobs !== undefined && { include: ['message.output_text.logprobs'], top_logprobs: topLogprobs }),
        tools: tools?.map((tool) => ({ type: 'function', ...tool })),
        tool_choice: tools && (choice === 'first' ? { type: 'function', name: first } : choice),
      },
    ];
  });

test('a chat request and the equivalent responses request are read alike', () => {
  fc.assert(
    fc.property(talk, params, ({ messages, items }, [chatParams, responsesParams]) => {
      const chat = parseChatRequest({ model: 'm', messages, ...chatParams });
      const responses = parseResponsesRequest({ model: 'm', input: items, ...responsesParams });
      const { source: _, bytes, includeUsage, ...asked } = chat;
      const { source, echo, bytes: weight, includeUsage: told, ...read } = responses;
      expect(read).toEqual(asked);
    }),
    { numRuns },
  );
});

const callPart = fc.record(
  { type: fc.constant('tool_call' as const), id: fc.uuid(), name, arguments: args, signature: word },
  { requiredKeys: ['type', 'id', 'name', 'arguments'] },
);
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  word.map((text): Part => ({ type: 'text', text })),
  fc.record(
    { type: fc.constant('thinking' as const), text: word, signature: word },
    { requiredKeys: ['type', 'text'] },
  ),
  word.map((data): Part => ({ type: 'redacted_thinking', data })),
  word.map(
    (data): Part => ({
      type: 'raw',
      format: 'chat',
      value: { type: 'reasoning.encrypted', data, format: 'openai-responses-v1', id: null },
    }),
  ),
  callPart,
);

/** Neighbouring words are one text, and thoughts that nobody signed go on with the next. */
function joined(parts: Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === 'text' && last?.type === 'text') last.text += part.text;
    else if (part.type === 'thinking' && last?.type === 'thinking' && last.signature === undefined) {
      last.text += part.text;
      if (part.signature !== undefined) last.signature = part.signature;
    } else out.push({ ...part });
  }
  return out;
}

const options = { model: 'm', id: 'resp_1', created: 1 };
const turnsOf = (response: Json): Part[] =>
  parseResponsesRequest({ model: 'm', input: [{ role: 'user', content: 'hi' }, ...(response.output as Json[])] })
    .turns.slice(1)
    .flatMap(({ parts }) => parts);

test('a response sent back as input contains everything its vendor needs', () => {
  fc.assert(
    fc.property(fc.array(anyPart, { minLength: 1, maxLength: 6 }), (parts) => {
      const response = renderResponsesAnswer({ id: 'x', model: 'up', parts, finish: 'stop' }, options);
      expect(joined(turnsOf(JSON.parse(JSON.stringify(response))))).toEqual(joined(parts));
    }),
    { numRuns },
  );
});

test('round trip of a chat answer through a response', () => {
  const call = fc.record({ id: fc.uuid(), name, args });
  fc.assert(
    fc.property(word, fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }), (content, calls) => {
      const tool_calls = calls.map(({ id, name: called, args: given }) => ({
        id,
        type: 'function',
        function: { name: called, arguments: given },
      }));
      const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) };
      const answer = fromOpenai({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] });
      const { output } = renderResponsesAnswer(answer, options);
      const again = parseResponsesRequest({ model: 'm', input: output });
      expect((chatRequestOf(again).messages as Json[])[0]).toEqual(message);
    }),
    { numRuns },
  );
});

/** Pieces of any answer in any order; calls are begun before they go on. */
const anyDeltas: fc.Arbitrary<Delta[]> = fc
  .array(
    fc.oneof(
      fc.record(
        { type: fc.constant('text' as const), text: word, refusal: fc.constant(true as const) },
        { requiredKeys: ['type', 'text'] },
      ),
      word.map((text): Delta => ({ type: 'thinking', text })),
      word.map((signature): Delta => ({ type: 'signature', signature })),
      word.map((data): Delta => ({ type: 'redacted_thinking', data })),
      fc.record({ type: fc.constant('tool_args' as const), index: fc.nat({ max: 3 }), args: word }),
    ),
    { maxLength: 20 },
  )
  .map((deltas) => {
    const begun = new Set<number>();
    return deltas.flatMap((delta): Delta[] => {
      if (delta.type !== 'tool_args' || begun.has(delta.index)) return [delta];
      begun.add(delta.index);
      const { index } = delta;
      return [
        {
          type: 'tool_start',
          index,
          id: `c${index}`,
          name: index % 2 ? 'patch' : 'f',
          ...(index > 1 && { signature: 'g' }),
        },
        delta,
      ];
    });
  });

const tools = new Map<string, ToolName>([['patch', { name: 'patch', custom: true }]]);

test('events of any answer, assembled by OpenAI’s library, give the answer', () => {
  const finishes = fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter') as fc.Arbitrary<'stop'>;
  fc.assert(
    fc.property(anyDeltas, finishes, (deltas, finish) => {
      const stream = new ResponsesStream({ ...options, echo: { members: {}, tools } });
      const text = [
        { type: 'start' } as Delta,
        ...deltas,
        { type: 'finish', finish } as Delta,
        { type: 'end' } as Delta,
      ]
        .map((delta) => stream.push(delta))
        .join('');
      const lines = text.split('\n').filter((line) => line.startsWith('data: '));
      const events = lines.map((line) => JSON.parse(line.slice('data: '.length)) as ResponseStreamEvent);
      let grown: ReturnType<typeof accumulateResponse> | undefined;
      for (const event of events.slice(0, -1)) grown = accumulateResponse(event, grown);
      const last = events.at(-1) as ResponseStreamEvent & { response: { output: unknown } };
      expect(grown!.output as unknown).toEqual(last.response.output);
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    }),
    { numRuns },
  );
});
