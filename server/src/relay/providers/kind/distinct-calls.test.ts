import { expect, test } from 'bun:test';
import type { Part, Turn } from '../../wire/conversation.ts';
import { distinctCalls } from './distinct-calls.ts';

const calling = (id: string): Turn => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id, name: 'find', arguments: '{}' }],
});
const idsIn = (turns: Turn[]): string[] =>
  turns.flatMap(({ parts }) => parts.map((part) => (part.type === 'tool_call' ? part.id : '')));

test('a repeated id gets a number that no other call has', () => {
  const turns = ['c', 'c_2', 'c', 'c', 'c_2', 'c_3'].map(calling);
  expect(idsIn(distinctCalls(turns))).toEqual(['c', 'c_2', 'c_3', 'c_4', 'c_2_2', 'c_3_2']);
});

test('results of calls that share an id in one answer come in the order of the calls', () => {
  const call = (id: string): Part => ({ type: 'tool_call', id, name: 'find', arguments: '{}' });
  const result: Part = { type: 'tool_result', callId: 'c', content: [] };
  const turns: Turn[] = [
    { role: 'assistant', parts: [call('c')] },
    { role: 'assistant', parts: [call('c'), call('c')] },
    { role: 'user', parts: [result, result, result] },
  ];
  const [, asked, told] = distinctCalls(turns);
  expect(idsIn([asked!])).toEqual(['c_2', 'c_3']);
  expect(told!.parts.map((part) => part.type === 'tool_result' && part.callId)).toEqual(['c_2', 'c_3', 'c_3']);
});

test('ids that the vendor would spell alike are distinct', () => {
  const spell = (id: string) => id.replace(/\W/g, '_');
  expect(idsIn(distinctCalls(['c.1', 'c:1'].map(calling), spell))).toEqual(['c_1', 'c_1_2']);
});

test('one id repeated very often is renamed in linear time', () => {
  const turns = Array.from({ length: 15_000 }, () => calling('c'));
  expect(new Set(idsIn(distinctCalls(turns))).size).toBe(turns.length);
});
