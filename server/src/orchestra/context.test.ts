import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildContext, type MemoryMode, summaryDue } from './context.ts';
import type { ChatMessage, StoredTurnMessage } from './messages.ts';

const said = (id: number, tokens = 10): StoredTurnMessage => ({
  id,
  tokens,
  message: { role: id % 2 ? 'user' : 'assistant', content: `m${id}` },
});
const talk = (count: number, tokens = 10) => Array.from({ length: count }, (_, i) => said(i + 1, tokens));
const ids = (messages: StoredTurnMessage[]) => messages.map((message) => message.id);
const summary = { text: 's', tokens: 5, upTo: 15 };

test('full sends everything and drops the oldest messages over budget', () => {
  const whole = buildContext({ mode: 'full', history: talk(5), summary, budget: 100 });
  expect(ids(whole.messages)).toEqual([1, 2, 3, 4, 5]);
  expect(whole).toMatchObject({ summary: null, tokensUsed: 50, tokensSaved: 0 });
  const cut = buildContext({ mode: 'full', history: talk(5), summary: null, budget: 35 });
  expect(ids(cut.messages)).toEqual([3, 4, 5]);
  expect(cut.tokensSaved).toBe(20);
});

test('summarized sends the summary and the messages after it, at least the last six', () => {
  const later = buildContext({ mode: 'summarized', history: talk(25), summary, budget: 1000 });
  expect(ids(later.messages)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
  expect(later).toMatchObject({ summary, tokensUsed: 105, tokensSaved: 145 });
  const sooner = buildContext({ mode: 'summarized', history: talk(17), summary, budget: 1000 });
  expect(ids(sooner.messages)).toEqual([12, 13, 14, 15, 16, 17]);
  const without = buildContext({ mode: 'summarized', history: talk(17), summary: null, budget: 1000 });
  expect(without.messages).toHaveLength(17);
});

test('selective sends the summary, the last four and the nearest messages that fit', () => {
  const input = { mode: 'selective' as const, history: talk(25), summary, nearest: [3, 9, 22] };
  expect(ids(buildContext({ ...input, budget: 1000 }).messages)).toEqual([3, 9, 22, 23, 24, 25]);
  expect(ids(buildContext({ ...input, budget: 58 }).messages)).toEqual([3, 22, 23, 24, 25]);
});

test('the newest message is sent even if it alone is over budget, without any others', () => {
  const context = buildContext({ mode: 'summarized', history: [said(1), said(2, 500)], summary, budget: 100 });
  expect(ids(context.messages)).toEqual([2]);
  expect(context.summary).toBeNull();
});

test('an unanswered call keeps only its text, and a stray result is dropped', () => {
  const call: ChatMessage = { role: 'assistant', content: 'wait', tool_calls: [toolCall('c1'), toolCall('c2')] };
  const history: StoredTurnMessage[] = [
    { id: 1, tokens: 1, message: { role: 'tool', content: 'x', tool_call_id: 'gone' } },
    { id: 2, tokens: 1, message: call },
    { id: 3, tokens: 1, message: { role: 'tool', content: 'x', tool_call_id: 'c1' } },
    { id: 4, tokens: 1, message: { role: 'user', content: 'never mind' } },
  ];
  const { messages } = buildContext({ mode: 'full', history, summary: null, budget: 100 });
  expect(messages.map((item) => item.message)).toEqual([
    { role: 'assistant', content: 'wait' },
    { role: 'user', content: 'never mind' },
  ]);
});

const toolCall = (id: string) => ({ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } });

/** A history of plain messages and of calls with one to three results. */
const histories = fc
  .array(fc.record({ results: fc.nat({ max: 3 }), tokens: fc.integer({ min: 1, max: 60 }) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map((turns) => {
    const history: StoredTurnMessage[] = [];
    const add = (message: ChatMessage, tokens: number) => history.push({ id: history.length + 1, message, tokens });
    turns.forEach(({ results, tokens }, turn) => {
      const calls = Array.from({ length: results }, (_, i) => toolCall(`${turn}.${i}`));
      if (results === 0) add({ role: 'user', content: 'x' }, tokens);
      else add({ role: 'assistant', content: null, tool_calls: calls }, tokens);
      for (const { id } of calls) add({ role: 'tool', content: 'r', tool_call_id: id }, tokens);
    });
    return history;
  });

test('pairs stay together, the budget holds unless the newest alone exceeds it, and order is kept', () => {
  fc.assert(
    fc.property(
      histories,
      fc.constantFrom<MemoryMode>('full', 'summarized', 'selective'),
      fc.integer({ min: 1, max: 600 }),
      fc.option(fc.record({ tokens: fc.integer({ min: 1, max: 80 }), upTo: fc.nat({ max: 60 }) }), { nil: null }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 10 }),
      (history, mode, budget, cover, nearest) => {
        const given = cover && { ...cover, text: 's' };
        const context = buildContext({ mode, history, summary: given, budget, nearest });
        const sent = ids(context.messages);
        expect(sent).toEqual([...sent].sort((a, b) => a - b));
        expect(new Set(sent).size).toBe(sent.length);
        expect(sent.at(-1)).toBe(history.length);
        const called = context.messages.flatMap((item) => (item.message.tool_calls ?? []).map((call) => call.id));
        const answered = context.messages.flatMap((item) => item.message.tool_call_id ?? []);
        expect(answered.sort()).toEqual(called.sort());
        if (context.tokensUsed > budget) {
          const last = context.messages.findLastIndex((item) => item.message.role !== 'tool');
          expect(last).toBe(0);
          expect(context.summary).toBeNull();
        }
      },
    ),
  );
});

test('a summary is due by count or by size, and only if enabled', () => {
  const need = { autoSummarize: true, threshold: 20, budget: 1000, raw: talk(19) };
  expect(summaryDue(need)).toBe(false);
  expect(summaryDue({ ...need, raw: talk(20) })).toBe(true);
  expect(summaryDue({ ...need, raw: talk(10, 70) })).toBe(false);
  expect(summaryDue({ ...need, raw: talk(10, 71) })).toBe(true);
  expect(summaryDue({ ...need, raw: talk(30), autoSummarize: false })).toBe(false);
  expect(summaryDue({ ...need, raw: [said(1, 5000)] })).toBe(false);
});
