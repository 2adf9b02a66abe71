import { expect, test } from 'bun:test';
import { anthropicKind } from '../../providers/anthropic.ts';
import { geminiKind } from '../../providers/gemini.ts';
import type { Target } from '../../providers/kind.ts';
import { openaiKind } from '../../providers/openai.ts';
import type { Json } from '../conversation.ts';
import { parseResponsesRequest } from './request.ts';

const at = (baseUrl: string, modelName: string): Target => ({ baseUrl, credential: 'k', modelName });
const kinds = [
  ['openai', openaiKind, at('https://api.openai.com/v1', 'gpt-5')],
  ['anthropic', anthropicKind, at('https://api.anthropic.com', 'claude-sonnet-4-5')],
  ['gemini', geminiKind, at('https://g.test/v1beta', 'gemini-3-pro')],
] as const;

const find = { type: 'function', name: 'find', parameters: { type: 'object' } };
const patch = { type: 'custom', name: 'patch' };
const later = <T extends Json>(tool: T) => ({ ...tool, defer_loading: true });
const space = (...tools: Json[]) => ({ type: 'namespace', name: 'crm', description: 'Customers.', tools });

test.each(kinds)('what OpenAI would search for is offered at once: %s', (_, kind, target) => {
  const sent = (...tools: Json[]) =>
    kind.toUpstream(parseResponsesRequest({ model: 'm', input: 'hi', tools }), target).body;
  const plain = sent(find, patch, space(find, patch));
  for (const search of [{ type: 'tool_search' }, { type: 'tool_search', execution: 'server' }]) {
    expect(sent(search, later(find), later(patch), space(later(find), later(patch)))).toEqual(plain);
    expect(() => sent(search, find, { type: 'mcp', server_label: 'x', defer_loading: true })).toThrow("'mcp'");
  }
  // What the client would find is not in the request.
  for (const execution of ['client', 'elsewhere'])
    expect(() => sent(find, { type: 'tool_search', execution })).toThrow("'tool_search'");
});

test('OpenAI itself still searches', () => {
  const tools = [later(find), { type: 'tool_search' }];
  const conversation = parseResponsesRequest({ model: 'm', input: 'hi', tools });
  const { body } = openaiKind.responses!.toUpstream(conversation, kinds[0][2]);
  expect(JSON.parse(body as string).tools).toEqual(tools);
});
