/** What a client asks for that knows the models of one vendor, of a model of another. */
import { describe, expect, test } from 'bun:test';
import { askedKinds } from '../../every-field.fixture.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Conversation, Json } from '../../wire/conversation.ts';
import { parseGeminiRequest } from '../../wire/gemini/request.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { parseResponsesRequest } from '../../wire/responses/request.ts';

const hi = [{ role: 'user', content: 'hi' }];

const clients: Record<string, (limit: number) => Conversation> = {
  chat: (max_tokens) => parseChatRequest({ model: 'm', messages: hi, max_tokens }),
  messages: (max_tokens) => parseMessagesRequest({ model: 'm', messages: hi, max_tokens }),
  responses: (max_output_tokens) => parseResponsesRequest({ model: 'm', input: 'hi', max_output_tokens }),
  gemini: (maxOutputTokens) =>
    parseGeminiRequest(
      { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens } },
      { model: 'm', stream: false },
    ),
};

function sent(conversation: Conversation, name: string, most?: number, modelName?: string) {
  const { kind, target } = askedKinds[name]!;
  const body = kind.toUpstream(conversation, {
    ...{ ...target, maxOutputTokens: most },
    ...(modelName !== undefined && { modelName }),
  }).body as string;
  return JSON.parse(body);
}

const limitIn = (body: Json & { inferenceConfig?: Json; generationConfig?: Json }): unknown =>
  body.max_completion_tokens ??
  body.max_tokens ??
  body.max_output_tokens ??
  (body.inferenceConfig?.maxTokens || body.generationConfig?.maxOutputTokens);

const pairs = Object.keys(askedKinds).flatMap((name) => Object.keys(clients).map((client) => [client, name] as const));

describe.each(pairs)('a limit in the format of %s, for %s', (client, name) => {
  const { wire } = askedKinds[name]!.kind;
  const isOwn = client === wire && name !== 'converse';

  test('is at most the model’s, unless the vendor knows the format and says so itself', () => {
    expect(limitIn(sent(clients[client]!(200_000), name, 8_192))).toBe(isOwn ? 200_000 : 8_192);
    expect(limitIn(sent(clients[client]!(8_000), name, 8_192))).toBe(8_000);
  });

  test('is what was asked for if the model’s is not known', () => {
    expect(limitIn(sent(clients[client]!(200_000), name))).toBe(200_000);
  });
});

/** As Claude Code asks for the most, and OpenRouter's clients for any number. */
const thinking: Record<string, (budget: number) => Conversation> = {
  messages: (budget_tokens) =>
    parseMessagesRequest({
      ...{ model: 'm', messages: hi, max_tokens: 64_000 },
      thinking: { type: 'enabled', budget_tokens },
    }),
  chat: (max_tokens) => parseChatRequest({ model: 'm', messages: hi, reasoning: { max_tokens } }),
};

describe.each(Object.keys(thinking))('a thinking budget in the format of %s', (client) => {
  test.each([
    ['gemini-2.5-pro', 32_768],
    ['gemini-2.5-flash', 24_576],
    ['gemini-2.5-flash-lite', 24_576],
  ])('is one that %s takes', (modelName, most) => {
    const budgetFor = (budget: number): number =>
      sent(thinking[client]!(budget), 'gemini', 65_536, modelName).generationConfig.thinkingConfig.thinkingBudget;
    expect([2_000, 31_999, 60_000].map(budgetFor)).toEqual([2_000, Math.min(31_999, most), most]);
  });
});
