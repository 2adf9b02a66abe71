import { describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { respond } from '../respond.ts';
import { recorder, request, type Scripted, stage } from '../scripted.fixture.ts';

const cut: Scripted = { message: { role: 'assistant', content: 'The first half' }, finishReason: 'length' };
const filtered: Scripted = {
  message: { role: 'assistant', content: 'The first half' },
  finishReason: 'content_filter',
};
const refused: Scripted = { message: { role: 'assistant', content: 'I cannot assist with this request.' } };
const call = { id: 'c', type: 'function' as const, function: { name: 'look_up', arguments: '{}' } };
const called: Scripted = { message: { role: 'assistant', content: 'I look it up', tool_calls: [call] } };
const down = new AppError('provider_error', 'down');

/** What every model answers in turn, and how the best text there is ends. */
const worlds: [string, Scripted[], finish: string, text: string][] = [
  ['every model is cut off', [cut], 'length', 'The first half'],
  ['every model is filtered', [filtered], 'content_filter', 'The first half'],
  ['a model calls a tool that nobody offered', [called], 'stop', 'I look it up'],
  ['every model refuses', [refused], 'stop', 'I cannot assist with this request.'],
  ['one is cut off, and no other answers', [cut, down], 'length', 'The first half'],
  ['one is filtered, and no other answers', [filtered, down], 'content_filter', 'The first half'],
  ['one is filtered, and the others say nothing', [filtered, ''], 'content_filter', 'The first half'],
];

test('a filtered answer is replaced by another model, unless somebody has read of it', async () => {
  for (const [out, finish] of [
    [undefined, 'stop'],
    [recorder(), 'content_filter'],
  ] as const) {
    let asked = 0;
    const s = await stage(() => (asked++ === 0 ? filtered : 'All of it'));
    expect((await respond(s.deps, request('Tell me all of it'), out)).finishReason).toBe(finish);
    await s.close();
  }
});

describe.each([false, true])('streamed: %s', (streamed) => {
  test.each(worlds)('if %s', async (_name, answers, finish, text) => {
    let asked = 0;
    const s = await stage(() => answers[Math.min(asked++, answers.length - 1)]!);
    const out = recorder();
    const turn = await respond(s.deps, request('Tell me all of it'), streamed ? out : undefined);
    expect([turn.message.content, turn.finishReason]).toEqual([text, finish]);
    if (streamed) {
      const told = out.events.flatMap(([kind, said]) => (kind === 'content' ? [said] : []));
      expect(told.join('')).toBe(text);
    }
    await s.close();
  });
});
