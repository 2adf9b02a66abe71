import { describe, expect, test } from 'bun:test';
import type { Json } from './conversation.ts';
import { eachOutput, hasOutput } from './output.ts';

const choice = (message: Json, rest: Json = {}): Json => ({ choices: [{ index: 0, message, ...rest }] });
const chunk = (delta: unknown, rest: Json = {}): Json => ({ choices: [{ index: 0, delta, ...rest }] });

/** What the text of it is, where it has any. */
const chatOutputs: Record<string, [body: Json, text: string]> = {
  'plain text': [choice({ role: 'assistant', content: 'a' }), 'a'],
  'text in parts': [choice({ content: [{ type: 'text', text: 'a' }] }), 'a'],
  'thinking in parts': [choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] }), 'a'],
  'a refusal': [choice({ content: null, refusal: 'no' }), 'no'],
  'a legacy function call': [choice({ content: null, function_call: { name: 'f', arguments: '{}' } }), 'f{}'],
  'a tool call': [
    choice({ content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] }),
    'f',
  ],
  'a custom tool call': [
    choice({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }] }),
    'fx',
  ],
  'speech with transcript': [choice({ audio: { id: 'audio_1', data: 'UklGRg==', transcript: 'hi' } }), 'hi'],
  'speech without transcript': [choice({ audio: { id: 'audio_1', data: 'UklGRg==' } }), ''],
  'an image': [choice({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }), ''],
  'reasoning, given twice': [choice({ reasoning: 'hm', reasoning_details: [{ type: 'x', text: 'hm' }] }), 'hm'],
  'a reasoning summary': [choice({ reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }), 'hm'],
  'encrypted reasoning': [choice({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] }), ''],
  'an unknown field': [choice({ content: '', poem: { lines: ['a', 'b'] } }), 'ab'],
  'text of a completion': [{ choices: [{ index: 0, text: 'a', finish_reason: null }] }, 'a'],
  'a second choice': [
    {
      choices: [
        { index: 0, message: { content: '' } },
        { index: 1, message: { content: 'b' } },
      ],
    },
    'b',
  ],
  'a text delta': [chunk({ content: 'a' }), 'a'],
  'a speech delta': [chunk({ audio: { data: 'AAAA' } }), ''],
  'a legacy function call delta': [chunk({ function_call: { arguments: '{"a' } }), '{"a'],
  'a custom tool call delta': [chunk({ tool_calls: [{ index: 0, custom: { input: 'x' } }] }), 'x'],
};

const messagesOutputs: Record<string, [body: Json, text: string]> = {
  'a text': [{ content: [{ type: 'text', text: 'a' }] }, 'a'],
  thinking: [{ content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }, 'hm'],
  'redacted thinking': [{ content: [{ type: 'redacted_thinking', data: 'x' }] }, ''],
  'a tool use': [{ content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] }, 'f'],
  'a server tool result': [
    { content: [{ type: 'web_search_tool_result', tool_use_id: 't', content: [{ type: 'r', title: 'T', url: 'u' }] }] },
    'T',
  ],
  'a block that opens with text': [{ type: 'content_block_start', content_block: { type: 'text', text: 'a' } }, 'a'],
  'a tool use start': [
    { type: 'content_block_start', content_block: { type: 'server_tool_use', id: 't', name: 'web_search', input: {} } },
    'web_search',
  ],
  'an input delta': [{ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{' } }, '{'],
  'a signature': [{ type: 'content_block_delta', delta: { type: 'signature_delta', signature: 's' } }, ''],
};

const geminiParts: Record<string, [part: Json, text: string]> = {
  text: [{ text: 'a' }, 'a'],
  'a call': [{ functionCall: { name: 'f', args: { q: 'x' } } }, 'fx'],
  data: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }, ''],
  code: [{ executableCode: { language: 'PYTHON', code: '1+1' } }, '1+1'],
  'a code execution result': [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } }, 'OUTCOME_OK2'],
};

const nothing: Record<string, ['chat' | 'messages' | 'gemini', Json]> = {
  'an empty text': ['chat', choice({ role: 'assistant', content: '', refusal: null, annotations: [], tool_calls: [] })],
  'a role': ['chat', chunk({ role: 'assistant', content: '' })],
  'a finish reason': ['chat', chunk({}, { finish_reason: 'stop', logprobs: null, native_finish_reason: 'STOP' })],
  'a content filter result': [
    'chat',
    chunk({ content: '' }, { content_filter_results: { hate: { severity: 'safe' } } }),
  ],
  'a name next to the role': ['chat', choice({ role: 'assistant', name: 'A Vendor', content: '', audio_content: '' })],
  'no choices': ['chat', { choices: [], usage: { completion_tokens: 3 } }],
  'invalid choices': ['chat', { choices: [null, 1, 'x'] }],
  'only the id of a call': ['chat', chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: {} }] })],
  'an empty message': ['messages', { id: 'm', role: 'assistant', model: 'x', content: [{ type: 'text', text: '' }] }],
  message_start: ['messages', { type: 'message_start', message: { id: 'm', content: [], usage: {} } }],
  'message_delta with a stop reason': ['messages', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }],
  'an empty candidate': ['gemini', { candidates: [{ content: { role: 'model', parts: [{ text: '' }] } }] }],
  'a finish reason only': ['gemini', { candidates: [{ finishReason: 'STOP' }], modelVersion: 'x' }],
};

const textOf = (wire: 'chat' | 'messages' | 'gemini', body: Json): string => {
  let text = '';
  eachOutput(wire, body, (piece) => {
    text += piece;
  });
  return text;
};

describe('counts as output', () => {
  for (const [name, [body, text]] of Object.entries(chatOutputs))
    test(`chat: ${name}`, () => {
      expect(hasOutput('chat', body)).toBe(true);
      expect(textOf('chat', body)).toBe(text);
    });
  for (const [name, [body, text]] of Object.entries(messagesOutputs))
    test(`messages: ${name}`, () => {
      expect(hasOutput('messages', body)).toBe(true);
      expect(textOf('messages', body)).toBe(text);
    });
  for (const [name, [part, text]] of Object.entries(geminiParts))
    test(`gemini: ${name}`, () => {
      const body = { candidates: [{ content: { parts: [part] } }] };
      expect(hasOutput('gemini', body)).toBe(true);
      expect(textOf('gemini', body)).toBe(text);
    });
});

describe('does not count as output', () => {
  for (const [name, [wire, body]] of Object.entries(nothing))
    test(name, () => expect(hasOutput(wire, body)).toBe(false));
});

test('an answer of any depth is handled', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 50_000; i += 1) deep = [deep];
  expect(hasOutput('chat', choice({ content: deep }))).toBe(true);
});
