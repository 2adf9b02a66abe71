import { expect, test } from 'bun:test';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Conversation, Json } from '../../wire/conversation.ts';
import { parseGeminiRequest } from '../../wire/gemini/request.ts';
import { parseResponsesRequest } from '../../wire/responses/request.ts';
import { toAnthropic } from './request.ts';

const target = { baseUrl: 'https://api.anthropic.com', modelName: 'claude-sonnet-4-6', credential: 'k' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

function lastContent(conversation: Conversation): Json[] {
  const { messages } = JSON.parse(toAnthropic(conversation, target).body as string);
  return messages.at(-1).content;
}

const fronts: Record<string, (mediaType: string, data: string) => Conversation> = {
  chat: (type, data) =>
    parseChatRequest({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: `data:${type};base64,${data}` } }] }],
    }),
  responses: (type, data) =>
    parseResponsesRequest({
      model: 'm',
      input: [{ role: 'user', content: [{ type: 'input_file', file_data: `data:${type};base64,${data}` }] }],
    }),
  'a tool of responses': (type, data) =>
    parseResponsesRequest({
      model: 'm',
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' },
        {
          ...{ type: 'function_call_output', call_id: 'c' },
          output: [{ type: 'input_file', file_data: `data:${type};base64,${data}` }],
        },
      ],
    }),
};

const found = (content: Json[]): Json =>
  (content[0]!.type === 'tool_result' ? (content[0]!.content as Json[]) : content)[0]!;

test.each(Object.keys(fronts))('files of %s are sent to Claude as it accepts them', (front) => {
  const sent = (type: string, data: string) => found(lastContent(fronts[front]!(type, data)));
  for (const type of ['text/csv', 'text/markdown', 'application/json', 'application/geo+json'])
    expect(sent(type, base64('a,ä'))).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'a,ä' },
    });
  expect(sent('image/png', 'iVBO')).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBO' },
  });
  expect(sent('application/pdf', 'JVBE')).toMatchObject({ type: 'document', source: { type: 'base64' } });
  expect(() => sent('application/zip', 'UEsD')).toThrow('application/zip');
});

test('JSON in Google’s format is text for Claude', () => {
  const parts = [{ inlineData: { mimeType: 'application/json', data: base64('{"a":1}') } }];
  const conversation = parseGeminiRequest({ contents: [{ role: 'user', parts }] }, { model: 'm', stream: false });
  expect(found(lastContent(conversation))).toMatchObject({ source: { type: 'text', data: '{"a":1}' } });
});
