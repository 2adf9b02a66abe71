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

test.each(kinds)('deferred tools are offered immediately instead of OpenAI’s tool search: %s', (_, kind, target) => {
  const sent = (...tools: Json[]) =>
    kind.toUpstream(parseResponsesRequest({ model: 'm', input: 'hi', tools }), target).body;
  const plain = sent(find, patch, space(find, patch));
  for (const search of [{ type: 'tool_search' }, { type: 'tool_search', execution: 'server' }]) {
    expect(sent(search, later(find), later(patch), space(later(find), later(patch)))).toEqual(plain);
    expect(() => sent(search, find, { type: 'mcp', server_label: 'x', defer_loading: true })).toThrow("'mcp'");
  }
  expect(() => sent(find, { type: 'tool_search', execution: 'elsewhere' })).toThrow("'tool_search'");
});

const parameters = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
const ownSearch = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters };
const searched = (execution: string, call_id: string | null, tools: Json[]) => [
  { type: 'tool_search_call', call_id, execution, arguments: { query: 'crm' } },
  { type: 'tool_search_output', call_id, execution, status: 'completed', tools },
];
const user = { role: 'user', content: 'hi' };

test.each(kinds)(
  'a client-side tool search is a function, and the tools it finds are offered: %s',
  (_, kind, target) => {
    const sent = (tools: Json[], ...items: Json[]) =>
      kind.toUpstream(parseResponsesRequest({ model: 'm', input: [user, ...items], tools }), target).body;
    const asFunction = { type: 'function', name: 'tool_search', description: 'Finds tools.', parameters };
    expect(sent([find, ownSearch])).toEqual(sent([find, asFunction]));
    const call = { type: 'function_call', call_id: 'c1', name: 'tool_search', arguments: '{"query":"crm"}' };
    const output = { type: 'function_call_output', call_id: 'c1' };
    expect(sent([find, ownSearch], ...searched('client', 'c1', [space(later(find)), patch]))).toEqual(
      sent([find, asFunction, space(find), patch], call, {
        ...output,
        output: 'Found, and to be called by these names: crm__find, patch',
      }),
    );
    expect(sent([ownSearch], ...searched('client', 'c1', []))).toEqual(
      sent([asFunction], call, { ...output, output: 'No tools were found.' }),
    );
    // Found twice.
    const again = { ...searched('client', 'c2', [patch])[1]!, call_id: 'c1' };
    expect(
      parseResponsesRequest({ model: 'm', input: [user, ...searched('client', 'c1', [patch]), again] }).params,
    ).toEqual(parseResponsesRequest({ model: 'm', input: [user], tools: [patch] }).params);
  },
);

test.each(kinds)('tools added by a developer item or by OpenAI’s search are offered: %s', (_, kind, target) => {
  const sent = (body: Json) => kind.toUpstream(parseResponsesRequest({ model: 'm', ...body }), target).body;
  const plain = sent({ input: [user], tools: [space(find), patch] });
  const added = { type: 'additional_tools', role: 'developer', tools: [space(find), patch] };
  expect(sent({ input: [added, user] })).toEqual(plain);
  const before = parseResponsesRequest({ model: 'm', input: [user] }, [added]);
  expect(kind.toUpstream(before, target).body).toEqual(plain);
  expect(sent({ tools: [later(patch)], input: [user, ...searched('server', null, [space(find)])] })).toEqual(
    sent({ tools: [patch, space(find)], input: [user] }),
  );
  const run = { type: 'additional_tools', role: 'developer', tools: [{ type: 'code_interpreter' }] };
  expect(() => sent({ input: [run, user] })).toThrow("'code_interpreter'");
  expect(() => sent({ input: [user, { ...added, tools: 'x' }] })).toThrow("'input[1].tools'");
});

test('a function named tool_search stays a function', () => {
  const { params, echo } = parseResponsesRequest({
    ...{ model: 'm', input: 'hi' },
    tools: [{ type: 'function', name: 'tool_search' }, ownSearch],
  });
  const [own, search] = params.tools!;
  expect(own!.name).toBe('tool_search');
  expect(search!.name).toMatch(/^tool_search_[0-9a-f]{12}$/);
  expect([...echo!.tools]).toEqual([[search!.name, { name: 'tool_search', search: true }]]);
});

test('OpenAI’s own tool search is forwarded to OpenAI', () => {
  const tools = [later(find), { type: 'tool_search' }];
  const conversation = parseResponsesRequest({ model: 'm', input: 'hi', tools });
  const { body } = openaiKind.responses!.toUpstream(conversation, kinds[0][2]);
  expect(JSON.parse(body as string).tools).toEqual(tools);
});
