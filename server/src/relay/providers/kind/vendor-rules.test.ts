/** What one vendor takes and another refuses, in requests that are converted. */
import { describe, expect, test } from 'bun:test';
import { sha256Hex } from '../../../lib/hashing.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { parseResponsesRequest } from '../../wire/responses/request.ts';
import { anthropicKind } from '../anthropic.ts';
import { geminiKind } from '../gemini.ts';
import { openaiKind } from '../openai.ts';

const target = { baseUrl: 'https://api.openai.com/v1', credential: 'c', modelName: 'm-1', provider: 'openai' };
const kinds = { anthropic: anthropicKind, gemini: geminiKind, chat: openaiKind, responses: openaiKind.responses! };
const hi = [{ role: 'user', content: 'hi' }];
const clients = {
  chat: (body: Json) => parseChatRequest({ model: 'm', messages: hi, ...body }),
  messages: (body: Json) => parseMessagesRequest({ model: 'm', max_tokens: 9, messages: hi, ...body }),
  responses: (body: Json) => parseResponsesRequest({ model: 'm', input: 'hi', ...body }),
};
const sent = (client: keyof typeof clients, kind: keyof typeof kinds, body: Json) =>
  JSON.parse(kinds[kind].toUpstream(clients[client](body), target).body as string);

describe('parameters of a tool', () => {
  const properties = { route: { type: 'string' }, file: { type: 'string' } };
  const union = { type: 'object', properties, anyOf: [{ required: ['route'] }, { required: ['file'] }] };
  const whole = { type: 'object', properties };
  const fn = { type: 'function', function: { name: 'f', parameters: union } };

  test('a union at the top is one object for Anthropic', () => {
    expect(sent('chat', 'anthropic', { tools: [fn] }).tools[0].input_schema).toEqual(whole);
  });

  test('a union at the top is one object for OpenAI', () => {
    const tools = [{ name: 'f', input_schema: union }];
    expect(sent('messages', 'chat', { tools }).tools[0].function.parameters).toEqual(whole);
    expect(sent('messages', 'responses', { tools }).tools[0].parameters).toEqual(whole);
  });

  test('an object says its properties to OpenAI, and a list what it holds', () => {
    const tools = [
      { name: 'f', input_schema: { type: 'object' } },
      { name: 'g', input_schema: { type: 'object', properties: { a: { type: 'array' } } } },
    ];
    const parameters = [
      { type: 'object', properties: {} },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ];
    for (const [kind, nested] of [
      ['chat', true],
      ['responses', false],
    ] as const) {
      const told = sent('messages', kind, { tools }).tools as { function?: Json; parameters?: Json }[];
      expect(told.map((tool) => (nested ? tool.function!.parameters : tool.parameters))).toEqual(parameters);
    }
  });

  test('are as they were for a server of the same format, which may know better', () => {
    expect(sent('chat', 'chat', { tools: [fn] }).tools[0].function.parameters).toEqual(union);
  });
});

describe('who the user is', () => {
  // As Claude Code names a user: OpenAI takes 64 characters, Zhipu and OpenRouter 128.
  const long = JSON.stringify({ device_id: 'a'.repeat(64), account_uuid: '', session_id: 'b'.repeat(36) });
  const user = (client: 'chat' | 'messages' | 'responses', id: string): Json =>
    client === 'messages' ? { metadata: { user_id: id } } : { user: id };

  test('a long name is hashed for OpenAI', () => {
    for (const client of ['messages', 'responses'] as const) {
      expect(sent(client, 'chat', user(client, long)).user).toBe(sha256Hex(long));
      expect(sent(client, 'chat', user(client, 'u-1@a.example')).user).toBe('u-1@a.example');
    }
    expect(sent('messages', 'responses', user('messages', long)).user).toBe(sha256Hex(long));
  });

  test.each(['a@b.example', '+1 555 123 4567', '555-123-4567', long, 'José'])(
    '%s is hashed for Anthropic, which refuses what may be an address or a number',
    (id) => {
      for (const client of ['chat', 'responses'] as const)
        expect(sent(client, 'anthropic', user(client, id)).metadata).toEqual({ user_id: sha256Hex(id) });
    },
  );

  test.each(['u_12', '12345', '0b1f6f0e-8c1e-4f6e-9d3a-2f1c7a5b9e10'])('%s is passed on', (id) => {
    expect(sent('chat', 'anthropic', user('chat', id)).metadata).toEqual({ user_id: id });
    expect(sent('messages', 'chat', user('messages', id)).user).toBe(id);
  });
});

describe('pictures have the type that they are of, as Anthropic and Google require', () => {
  const jpeg = Buffer.from('\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00', 'latin1').toString('base64');
  const unknown = Buffer.from('no picture that is known').toString('base64');

  test.each([
    ['image/jpg', jpeg, 'image/jpeg'],
    ['image/png', jpeg, 'image/jpeg'],
    ['', jpeg, 'image/jpeg'],
    ['image/heic', unknown, 'image/heic'],
  ])('%s', (told, data, type) => {
    const url = `data:${told};base64,${data}`;
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] };
    const [block] = sent('chat', 'anthropic', { messages: [image] }).messages[0].content;
    expect(block.source).toEqual({ type: 'base64', media_type: type, data });
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }];
    const [part] = sent('responses', 'gemini', { input }).contents[0].parts;
    expect(part.inlineData).toEqual({ mimeType: type, data });
    expect(sent('chat', 'chat', { messages: [image] }).messages).toEqual([image]);
  });
});
