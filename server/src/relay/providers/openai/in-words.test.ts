import { expect, test } from 'bun:test';
import { vendors } from '../../../lib/vendors/table.ts';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { openaiKind } from '../openai.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } }];
const named = { type: 'function', function: { name: 'find' } };

function sent(provider: string, modelName: string, body: Json, parse = parseChatRequest): Json & { messages: Json[] } {
  const baseUrl = vendors.find(({ id }) => id === provider)!.baseUrl;
  const target = { baseUrl, credential: 'c', modelName, provider };
  return JSON.parse(openaiKind.toUpstream(parse({ model: 'm', messages, ...body }), target).body as string);
}

test.each([
  ['deepseek', 'deepseek-v4-pro'],
  ['moonshot', 'kimi-k2.6'],
])('a forced call stays forced at %s, without thinking', (provider, model) => {
  for (const tool_choice of ['required', named]) {
    const body = sent(provider, model, { tools, tool_choice, reasoning_effort: 'high' });
    expect(body).toMatchObject({ tool_choice, thinking: { type: 'disabled' }, messages });
    expect(body).not.toHaveProperty('reasoning_effort');
  }
  const forced = { name: 'find', input_schema: { type: 'object' } };
  const asked = { max_tokens: 9, tools: [forced], tool_choice: { type: 'tool', name: 'find' } };
  expect(sent(provider, model, asked, parseMessagesRequest)).toMatchObject({
    ...{ tool_choice: named, thinking: { type: 'disabled' } },
  });
  for (const tool_choice of ['auto', 'none', undefined])
    expect(sent(provider, model, { tools, tool_choice })).not.toHaveProperty('thinking');
});

test.each([
  ['zai', 'glm-5.1'],
  ['moonshot', 'kimi-k2.7-code'],
])('a forced call is asked for in words at %s, whose models cannot be forced', (provider, model) => {
  for (const [tool_choice, words] of [
    ['required', 'one of the tools'],
    [named, `the tool 'find'`],
  ] as const) {
    const body = sent(provider, model, { tools, tool_choice });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body.messages).toEqual([{ role: 'system', content: expect.stringContaining(words) }, ...messages]);
    expect(body.tools).toEqual(tools);
  }
  expect(sent(provider, model, { tools, tool_choice: 'auto' })).toMatchObject({ tools, messages });
  expect(sent(provider, model, { tools, tool_choice: 'none' })).not.toHaveProperty('tools');
});

test('others are forced as they were', () => {
  for (const [provider, model] of [
    ['openai', 'gpt-5.4'],
    ['moonshot', 'kimi-k3'],
  ] as const)
    expect(sent(provider, model, { tools, tool_choice: 'required' })).toMatchObject({
      tool_choice: 'required',
      messages,
    });
});
