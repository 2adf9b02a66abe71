import { expect, test } from 'bun:test';
import { textOfContent, toolCallsOf, toolNames } from './message-parts.ts';

test('content of any shape becomes text', () => {
  expect(textOfContent('hello')).toBe('hello');
  expect(textOfContent(null)).toBe('');
  expect(textOfContent([{ type: 'text', text: 'a' }, { type: 'image_url' }, 'b'])).toBe('a\n\n[image url]\n\nb');
  expect(textOfContent({ odd: 1 })).toBe('{"odd":1}');
  expect(textOfContent([{ type: 'constructor' }, { type: { toString: 1 } }])).toBe('[constructor]\n\n[part]');
});

test('tool calls are read, invalid ones are left out', () => {
  const calls = [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }, null, { id: 'c2' }];
  expect(toolCallsOf(calls)).toEqual([{ id: 'c1', name: 'weather', arguments: '{}' }]);
  expect(toolCallsOf(undefined)).toEqual([]);
  expect(toolNames([{ tool_calls: calls }, {}]).get('c1')).toBe('weather');
});
