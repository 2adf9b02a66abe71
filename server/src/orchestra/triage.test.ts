import { describe, expect, test } from 'bun:test';
import { aged, type Pattern, record, wilson } from './patterns.ts';
import { crossChecked, triage } from './triage.ts';

test.each([
  ['Hello!', 'chat', 'easy'],
  ['What is the capital of France?', 'question', 'easy'],
  ['Translate "good night" into French', 'translation', 'easy'],
  ['What is 12 * 34?', 'math', 'easy'],
  ['Prove that there are infinitely many primes', 'math', 'hard'],
  ['Write a haiku about rain', 'writing', 'medium'],
  ['Fix this:\n```js\nlet a = \n```', 'code', 'medium'],
  ['Implement a lock-free queue with a proof of correctness', 'code', 'hard'],
  ['Summarize the text below', 'summary', 'easy'],
  ['Extract the names as JSON: Ann met Bob.', 'extraction', 'easy'],
])('%s → %s, %s, one task', (text, kind, difficulty) => {
  expect(triage(text)).toMatchObject({ kind, difficulty, single: true });
});

test.each([
  ['1. Research the market\n2. Write a summary\n3. Propose a name'],
  ['First list the risks, then rank them, and finally propose a mitigation for each.'],
  ['Compare PostgreSQL, MySQL and SQLite for a small shop.'],
  ['Who was he? What did he do? Why does it matter?'],
  ['Write a business plan for a bakery in Lyon with costs, staff, marketing and a calendar of the first year.'],
])('%s → planner', (text) => {
  const result = triage(text);
  expect(result.single).toBe(false);
  expect(result.reasons.at(-1)).toStartWith('asks for');
});

const pattern = (successes: number, failures: number, difficulty: Pattern['difficulty'] = 'medium'): Pattern => ({
  kind: 'analysis',
  difficulty,
  model: 'm',
  successes,
  failures,
});

describe('learned patterns', () => {
  const borderline = 'Compare tea, coffee and cocoa.';
  test('a borderline request becomes one task once that has worked', () => {
    expect(triage(borderline, [pattern(4, 0)]).single).toBe(false);
    expect(triage(borderline, [pattern(20, 0)]).single).toBe(true);
    expect(triage(borderline, [pattern(20, 20)]).single).toBe(false);
  });
  test('a difficulty at which the kind often fails is raised', () => {
    expect(triage('Assess this idea', [pattern(0, 4)]).difficulty).toBe('medium');
    expect(triage('Assess this idea', [pattern(0, 8)]).difficulty).toBe('hard');
  });
  test("a planner's hard is used, unless the wording is plain and medium work of that kind succeeded", () => {
    const plain = 'Assess this idea';
    expect(crossChecked('hard', plain, [])).toBe('hard');
    expect(crossChecked('hard', plain, [pattern(20, 0)])).toBe('medium');
    expect(crossChecked('hard', plain, [pattern(4, 0)])).toBe('hard');
    expect(crossChecked('hard', plain, [pattern(12, 10)])).toBe('hard');
    expect(crossChecked('hard', 'Assess this proof of a distributed consensus algorithm', [pattern(20, 0)])).toBe(
      'hard',
    );
    expect(crossChecked('easy', plain, [pattern(20, 0)])).toBe('easy');
  });
  test('older outcomes count less', () => {
    const [now, then] = aged(
      [10, 0].map((days) => ({ ...pattern(8, 4), updatedAt: days * 86_400 })),
      10 * 86_400,
    );
    expect(now).toMatchObject({ successes: 8, failures: 4 });
    expect(then!.successes / then!.failures).toBeCloseTo(2);
    expect(then!.successes).toBeLessThan(8);
    const [half] = aged([{ ...pattern(8, 4), updatedAt: 0 }], 90 * 86_400);
    expect(half).toMatchObject({ successes: 4, failures: 2 });
  });
  test('the Wilson interval is wide for few samples', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilson(5, 0).low).toBeCloseTo(0.566, 2);
    expect(wilson(50, 0).low).toBeGreaterThan(0.9);
    expect(wilson(0, 5).high).toBeLessThan(0.5);
    expect(record([pattern(2, 2)], () => true)).toBeNull();
  });
});
