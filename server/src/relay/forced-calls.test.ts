import { expect, test } from 'bun:test';
import { askedKinds } from './every-field.fixture.ts';
import { parseChatRequest } from './wire/chat/request.ts';
import type { Json } from './wire/conversation.ts';
import { parseGeminiRequest } from './wire/gemini/request.ts';
import { parseResponsesRequest } from './wire/responses/request.ts';

const find = { name: 'find', parameters: { type: 'object', properties: { a: { type: 'string' } } } };
const messages = [{ role: 'user', content: 'Hi' }];
const thinking = {
  chat: parseChatRequest({
    ...{ model: 'm', messages, tools: [{ type: 'function', function: find }], reasoning_effort: 'high' },
    tool_choice: { type: 'function', function: { name: 'find' } },
  }),
  responses: parseResponsesRequest({
    ...{ model: 'm', input: 'Hi', tools: [{ type: 'function', ...find }], reasoning: { effort: 'high' } },
    tool_choice: { type: 'function', name: 'find' },
  }),
  gemini: parseGeminiRequest(
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [find] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find'] } },
      generationConfig: { thinkingConfig: { thinkingBudget: 4000 } },
    },
    { model: 'm', stream: false },
  ),
};

function sentTo(front: keyof typeof thinking, modelName: string): Json {
  const { kind, target } = askedKinds.claude!;
  return JSON.parse(kind.toUpstream(thinking[front], { ...target, modelName }).body as string);
}

const fronts = Object.keys(thinking) as (keyof typeof thinking)[];

test.each(fronts)('a forced call of %s stays forced at Claude, without thinking', (front) => {
  for (const model of ['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-opus-4-8']) {
    const body = sentTo(front, model);
    expect(body.tool_choice).toEqual({ type: 'tool', name: 'find' });
    expect(body).not.toHaveProperty('thinking');
  }
});

test.each(fronts)('a forced call of %s is asked for in words where a model cannot be forced', (front) => {
  const body = sentTo(front, 'claude-opus-5-5');
  expect(body).toMatchObject({ tool_choice: { type: 'auto' }, thinking: { type: 'adaptive' } });
  expect(JSON.stringify(body.system)).toContain(`the tool 'find'`);
});
