import { expect, test } from 'bun:test';
import type { Turn } from '../../wire/conversation.ts';
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

test('one id repeated very often is renamed in linear time', () => {
  const turns = Array.from({ length: 15_000 }, () => calling('c'));
  expect(new Set(idsIn(distinctCalls(turns))).size).toBe(turns.length);
});
