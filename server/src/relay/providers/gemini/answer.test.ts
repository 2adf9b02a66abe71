import { expect, test } from 'bun:test';
import { renderChatAnswer } from '../../wire/chat/answer.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import { type Json, UpstreamFault } from '../../wire/conversation.ts';
import { renderMessagesAnswer } from '../../wire/messages/answer.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { geminiKind } from '../gemini.ts';
import type { Target } from '../kind.ts';

const target: Target = {
  baseUrl: 'https://generativelanguage.googleapis.com',
  credential: 'AIza-key',
  modelName: 'gemini-2.5-pro',
};
const user = { role: 'user', content: 'hi' };
const upstream = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'Hi ' },
          { text: 'there' },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'Sg+/==' },
          { functionCall: { name: 'g' } },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 6,
    cachedContentTokenCount: 8,
    totalTokenCount: 20,
  },
  modelVersion: 'gemini-2.5-pro',
  responseId: 'r1',
};

test('parts, calls with unique ids, and usage', () => {
  const answer = geminiKind.fromUpstream(upstream);
  expect(answer.finish).toBe('tool_calls');
  expect(answer.usage).toEqual({ promptTokens: 10, completionTokens: 10, cacheReadTokens: 8, reasoningTokens: 6 });
  expect(answer.parts.map((part) => part.type)).toEqual(['thinking', 'text', 'tool_call', 'tool_call']);
  const ids = answer.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
  expect(new Set(ids).size).toBe(2);
});

test('round trip through a chat client returns the signature to its call', () => {
  const chat = renderChatAnswer(geminiKind.fromUpstream(upstream), { model: 'm', id: 'c', created: 1 });
  const message = (chat.choices as { message: Json & { tool_calls: { id: string }[] } }[])[0]!.message;
  const results = message.tool_calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: '{}' }));
  const request = parseChatRequest({ model: 'm', messages: [user, message, ...results] });
  const { contents } = JSON.parse(geminiKind.toUpstream(request, target).body as string);
  expect(contents[1]).toEqual({
    role: 'model',
    parts: [
      { text: 'Hi there' },
      { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'Sg+/==' },
      { functionCall: { name: 'g', args: {} } },
    ],
  });
  expect(
    (contents[2] as { parts: { functionResponse: { name: string } }[] }).parts.map(
      (part) => part.functionResponse.name,
    ),
  ).toEqual(['f', 'g']);
});

test('round trip through a messages client returns the signature to its call', () => {
  const message = renderMessagesAnswer(geminiKind.fromUpstream(upstream), { model: 'm', id: 'x' });
  const request = parseMessagesRequest({
    model: 'm',
    max_tokens: 9,
    messages: [user, { role: 'assistant', content: message.content }],
  });
  const { contents } = JSON.parse(geminiKind.toUpstream(request, target).body as string);
  expect(contents[1].parts[1]).toEqual({ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'Sg+/==' });
});

test('a blocked prompt is a filtered answer; invalid bodies and errors are upstream faults', () => {
  expect(geminiKind.fromUpstream({ promptFeedback: { blockReason: 'SAFETY' } })).toMatchObject({
    finish: 'content_filter',
    parts: [],
  });
  for (const body of [null, {}, { candidates: [{}] }, { error: { code: 500, message: 'x' } }]) {
    expect(() => geminiKind.fromUpstream(body)).toThrow(UpstreamFault);
  }
});
