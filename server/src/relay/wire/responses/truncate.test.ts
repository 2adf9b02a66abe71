import { expect, test } from 'bun:test';
import { parseResponsesRequest } from './request.ts';
import { shortened } from './truncate.ts';

test('the body for an upstream of the same format gets as short as the turns', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: 'ok' };
  const rule = { role: 'developer', content: 'rule' };
  const [one, two, three] = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
  const asked = parseResponsesRequest({ model: 'm', input: [rule, one, call, output, two, call, output, three] });
  const shorter = shortened(asked)!;
  expect(shorter.turns.map(({ role }) => role)).toEqual(['user']);
  expect(shorter.source.body.input).toEqual([rule, three]);
  expect(asked.source.body.input).toHaveLength(8);
  expect(shortened(shorter)).toBeNull();
});
