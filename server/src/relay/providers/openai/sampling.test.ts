import { expect, test } from 'bun:test';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Conversation, Json } from '../../wire/conversation.ts';
import { parseGeminiRequest } from '../../wire/gemini/request.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { openaiKind } from '../openai.ts';

const hi = [{ role: 'user', content: 'hi' }];
const names = ['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'];

const asked = {
  messages: (more: Json = {}) =>
    parseMessagesRequest({ model: 'm', max_tokens: 9, messages: hi, temperature: 0.2, top_p: 0.5, ...more }),
  gemini: (more: Json = {}) =>
    parseGeminiRequest(
      { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { temperature: 0.2, frequencyPenalty: 1, ...more } },
      { model: 'm', stream: false },
    ),
  chat: (more: Json = {}) =>
    parseChatRequest({ model: 'm', messages: hi, temperature: 0.2, presence_penalty: 1, ...more }),
};

function sampling(conversation: Conversation, modelName: string, kind = openaiKind): string[] {
  const target = { baseUrl: 'https://api.openai.com/v1', credential: 'c', modelName, provider: 'openai' };
  const body = JSON.parse(kind.toUpstream(conversation, target).body as string);
  return names.filter((name) => name in body);
}

test.each(['o3', 'o4-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5.1', 'gpt-5.2-pro', 'gpt-5.6-sol', 'gpt-6', 'openai/gpt-5'])(
  '%s is not asked for a temperature or a penalty that it would refuse, but by its own clients',
  (model) => {
    for (const kind of [openaiKind, openaiKind.responses!]) {
      expect(sampling(asked.messages(), model, kind)).toEqual([]);
      expect(sampling(asked.gemini(), model, kind)).toEqual([]);
    }
    expect(sampling(asked.chat(), model)).toEqual(['temperature', 'presence_penalty']);
  },
);

test.each(['gpt-4o', 'gpt-4.1-mini', 'gpt-5.4', 'gpt-5-chat-latest', 'llama-4', 'gpt-oss-120b'])('%s is', (model) => {
  expect(sampling(asked.messages(), model)).toEqual(['temperature', 'top_p']);
  expect(sampling(asked.gemini(), model)).toEqual(['temperature', 'frequency_penalty']);
});

test('a model that reasons only if asked is, unless it reasons', () => {
  expect(sampling(asked.messages({ thinking: { type: 'disabled' } }), 'gpt-5.4')).toEqual(['temperature', 'top_p']);
  expect(sampling(asked.messages({ thinking: { type: 'adaptive' } }), 'gpt-5.4')).toEqual([]);
  expect(sampling(asked.messages({ output_config: { effort: 'low' } }), 'gpt-5.4')).toEqual([]);
});

test('what this service asks by itself is what any model takes', () => {
  const conversation: Conversation = { ...asked.chat({ max_tokens: 200_000 }), anyModel: true };
  expect(sampling(conversation, 'gpt-5.6-sol')).toEqual([]);
  expect(sampling(conversation, 'gpt-4o')).toEqual(['temperature', 'presence_penalty']);
  const target = {
    baseUrl: 'https://api.openai.com/v1',
    credential: 'c',
    modelName: 'gpt-4o',
    maxOutputTokens: 16_384,
  };
  const body = JSON.parse(openaiKind.toUpstream(conversation, target).body as string);
  expect(body.max_completion_tokens).toBe(16_384);
});
