import { expect, test } from 'bun:test';
import { anthropicKind } from './providers/anthropic.ts';
import { geminiKind } from './providers/gemini.ts';
import { openaiKind } from './providers/openai.ts';
import type { Json } from './wire/conversation.ts';

const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const candidate = {
  candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' }],
};
const item = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{}', status: 'completed' };
const response = { id: 'r', status: 'completed', model: 'm', output: [item] };

/** Answers with a call whose vendor says that it ended as any other. */
const answers: Record<string, [whole: Json, stream: Json[]]> = {
  chat: [
    { choices: [{ message: { tool_calls: [call] }, finish_reason: 'stop' }] },
    [{ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] }, { choices: [{ finish_reason: 'stop' }] }],
  ],
  messages: [
    { content: [use], stop_reason: 'end_turn' },
    [
      { type: 'content_block_start', index: 0, content_block: use },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    ],
  ],
  gemini: [candidate, [candidate]],
  responses: [
    response,
    [
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ],
  ],
};
const kinds = { chat: openaiKind, messages: anthropicKind, gemini: geminiKind, responses: openaiKind.responses! };

test.each(Object.keys(kinds) as (keyof typeof kinds)[])('a call ends an answer in %s', (wire) => {
  const [whole, stream] = answers[wire]!;
  expect(kinds[wire].fromUpstream(whole).finish).toBe('tool_calls');
  const finishes = stream.flatMap(kinds[wire].decoder()).flatMap((delta) => ('finish' in delta ? [delta.finish] : []));
  expect(finishes).toEqual(['tool_calls']);
});
