import { frameOf, responseEvents, wholeResponse } from './responses-upstream.fixture.ts';
import type { Json, WireFormat } from './wire/conversation.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

export const digits = '9007199254740993';
const args = `{"user":${digits},"more":{"all":[-12345678901234567890,0.12345678901234567891]}}`;
/** Written in place of these, as JSON of a tool's arguments; in text that is JSON itself, escaped. */
const asObject = '"ARGS"';
export const asText = '"TEXT"';
export const written = (json: unknown): string =>
  JSON.stringify(json).replaceAll(asObject, args).replaceAll(asText, JSON.stringify(args));

export const kinds: Record<WireFormat, string> = {
  chat: 'openai',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
};
const head = { id: 'c', object: 'chat.completion', created: 1, model: 'up' };
const usage = { prompt_tokens: 40, completion_tokens: 20, total_tokens: 60 };
const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: 'TEXT' } };
const message: Json = { id: 'm', type: 'message', role: 'assistant', model: 'up', stop_sequence: null };
const counted = { input_tokens: 40, output_tokens: 20 };
const parts = [{ functionCall: { name: 'find', args: 'ARGS' } }];
export const gemini = {
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 20, totalTokenCount: 60 },
  modelVersion: 'up',
};
const response = wholeResponse();
(response.output as Loose)[2].arguments = 'TEXT';
const event = (json: unknown) => `data: ${written(json)}\n\n`;

export const wholes: Record<WireFormat, unknown> = {
  chat: {
    ...head,
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
    ],
    usage,
  },
  messages: {
    ...message,
    content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: 'ARGS' }],
    stop_reason: 'tool_use',
    usage: counted,
  },
  responses: response,
  gemini,
};
export const streams: Record<WireFormat, () => string> = {
  chat: () =>
    `${[
      {
        ...head,
        choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
      },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { ...head, choices: [], usage },
    ]
      .map(event)
      .join('')}data: [DONE]\n\n`,
  messages: () =>
    [
      { type: 'message_start', message: { ...message, content: [], usage: counted } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'call_1', name: 'find', input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: 'TEXT' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: counted },
      { type: 'message_stop' },
    ]
      .map((one) => `event: ${one.type}\n${event(one)}`)
      .join(''),
  responses: () =>
    responseEvents(response)
      .filter(({ type }) => type !== 'response.function_call_arguments.delta')
      .map((one) => frameOf(one).replaceAll(asText, JSON.stringify(args)))
      .join(''),
  gemini: () => event(gemini),
};

const schema = { type: 'object', properties: { user: { type: 'integer' } } };
const declared = { name: 'find', parameters: schema };
/** A conversation in which a tool was called, and gave what it was asked. */
export const requests: Record<WireFormat, (model: string, stream: boolean) => { path: string; body: unknown }> = {
  chat: (model, stream) => ({
    path: '/v1/chat/completions',
    body: {
      ...{ model, stream, tools: [{ type: 'function', function: declared }] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'TEXT' },
      ],
    },
  }),
  responses: (model, stream) => ({
    path: '/v1/responses',
    body: {
      ...{ model, stream, tools: [{ type: 'function', ...declared }] },
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 'call_1', name: 'find', arguments: 'TEXT' },
        { type: 'function_call_output', call_id: 'call_1', output: 'TEXT' },
      ],
    },
  }),
  messages: (model, stream) => ({
    path: '/v1/messages',
    body: {
      ...{ model, stream, max_tokens: 100, tools: [{ name: 'find', input_schema: schema }] },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: 'ARGS' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'TEXT' }] },
      ],
    },
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      tools: [{ functionDeclarations: [declared] }],
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'find', args: 'ARGS' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'find', response: 'ARGS' } }] },
      ],
    },
  }),
};
