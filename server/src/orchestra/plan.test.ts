import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../lib/errors.ts';
import { graphFaults, makePlan, parsePlan, singleTaskPlan } from './plan.ts';

const good = {
  description: 'Two steps',
  tasks: [
    { id: 'a', title: 'A', instruction: 'do a', difficulty: 'easy' as const, depends_on: [] },
    { id: 'b', title: 'B', instruction: 'do b', difficulty: 'hard' as const, depends_on: ['a'] },
  ],
};

describe('parsePlan', () => {
  test('accepts numeric ids, a bare list and unknown difficulties', () => {
    const { plan } = parsePlan(
      '[{"id": 1, "instruction": "x", "difficulty": "HARD"}, {"id": 2, "instruction": "y", "difficulty": "odd", "depends_on": [1, 1]}]',
      8,
    );
    expect(plan?.tasks).toEqual([
      { id: '1', title: 'x', instruction: 'x', difficulty: 'hard', depends_on: [] },
      { id: '2', title: 'y', instruction: 'y', difficulty: 'medium', depends_on: ['1'] },
    ]);
  });
  test.each([
    ['garbage', 'garbage', 'not a JSON object'],
    ['no tasks', '{"tasks": []}', 'tasks'],
    ['an empty instruction', '{"tasks": [{"id": "a", "instruction": " "}]}', 'instruction'],
    [
      'a double id',
      '{"tasks": [{"id": "a", "instruction": "x"}, {"id": "a", "instruction": "y"}]}',
      'two tasks have the id "a"',
    ],
    [
      'an unknown dependency',
      '{"tasks": [{"id": "a", "instruction": "x", "depends_on": ["z"]}]}',
      '"z", which does not exist',
    ],
    ['itself', '{"tasks": [{"id": "a", "instruction": "x", "depends_on": ["a"]}]}', 'cycle: a'],
    [
      'a circle',
      '{"tasks": [{"id": "a", "instruction": "x", "depends_on": ["b"]}, {"id": "b", "instruction": "x", "depends_on": ["a"]}]}',
      'cycle: a, b',
    ],
    [
      '500 tasks',
      JSON.stringify({ tasks: Array.from({ length: 500 }, (_, i) => ({ id: `${i}`, instruction: 'x' })) }),
      '500 tasks, at most 8',
    ],
  ])('%s is reported as a fault', (_, text, fault) => {
    const { plan, faults } = parsePlan(text, 8);
    expect(plan).toBeNull();
    expect(faults.join('\n')).toContain(fault);
  });
  test('a valid graph can always run to completion', () => {
    const graph = fc.array(fc.array(fc.nat({ max: 7 }), { maxLength: 3 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(graph, (edges) => {
        const tasks = edges.map((needs, i) => ({ id: `${i}`, depends_on: needs.map(String) }));
        if (graphFaults(tasks, 8).length > 0) return;
        const done = new Set<string>();
        for (let round = 0; round < tasks.length; round++) {
          for (const task of tasks) if (task.depends_on.every((id) => done.has(id))) done.add(task.id);
        }
        expect(done.size).toBe(tasks.length);
      }),
    );
  });
});

describe('makePlan', () => {
  const signal = new AbortController().signal;
  const fallback = singleTaskPlan('the request', 'easy');
  const options = { request: 'the request', maxTasks: 8, fallback, signal };
  test('shows the faults once and accepts the corrected plan', async () => {
    const seen: unknown[] = [];
    const answers = ['garbage', JSON.stringify(good)];
    const { plan, faults } = await makePlan(async (last) => {
      seen.push(last);
      return answers.shift()!;
    }, options);
    expect(plan).toEqual(good);
    expect(faults).toEqual(['the answer is not a JSON object']);
    expect(seen).toEqual([null, { answer: 'garbage', faults: ['the answer is not a JSON object'] }]);
  });
  test('falls back to one task after two invalid answers, or if the planner fails', async () => {
    let calls = 0;
    const bad = async () => `nonsense ${++calls}`;
    expect((await makePlan(bad, options)).plan).toEqual(fallback);
    expect(calls).toBe(2);
    const faultsOf = async (error: Error) => {
      const made = await makePlan(() => Promise.reject(error), options);
      expect(made.plan).toEqual(fallback);
      return made.faults;
    };
    expect(await faultsOf(new AppError('provider_error', 'no answer'))).toEqual(['the planner failed: no answer']);
    expect(await faultsOf(new Error('/srv/data.db is locked'))).toEqual(['the planner failed: internal error']);
  });
  test('an abort is passed on', async () => {
    const aborted = AbortSignal.abort(new Error('gone'));
    expect(makePlan(async () => 'x', { ...options, signal: aborted })).rejects.toThrow('gone');
  });
});
