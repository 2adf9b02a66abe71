import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { newState, type RunState, redoDependents, usePlan } from './autonomous/state.ts';
import { parseRevision, useRevision } from './autonomous/steps-plan.ts';
import { graphFaults, makePlan, parsePlan, singleTaskPlan } from './plan.ts';
import { runGraph } from './task/schedule.ts';

const signal = new AbortController().signal;
const maxTasks = 8;
const fallback = singleTaskPlan('the request', 'easy');

/** Plans as a planner at its worst writes them: circles, doubles, unknown names, far too much, and none at all. */
const name = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'e', '1', '__proto__', 'constructor', ' ', ''), fc.nat(5));
const task = fc.record(
  {
    id: name,
    title: fc.string({ maxLength: 5 }),
    instruction: fc.constantFrom('do it', '', ' '),
    difficulty: fc.constantFrom('easy', 'HARD', 'odd', null),
    depends_on: fc.oneof(fc.array(name, { maxLength: 4 }), fc.constantFrom(null, 'a', {})),
    asked_for: fc.constantFrom(true, false, 'yes', null),
  },
  { requiredKeys: ['id', 'instruction'] },
);
const sound = fc
  .tuple(
    fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 1, maxLength: maxTasks }),
    fc.constantFrom('t0', 't0', 't0', '__proto__', 'constructor'),
  )
  .map(([needs, first]) => {
    const idOf = (i: number) => (i === 0 ? first : `t${i}`);
    const before = (list: number[], i: number) => list.filter((j) => j < i).map(idOf);
    return needs.map((list, i) => ({ id: idOf(i), instruction: 'do it', depends_on: before(list, i) }));
  });
const answer = fc.oneof(
  fc.oneof(sound, fc.array(task, { maxLength: 30 })).map((tasks) => JSON.stringify({ description: 'd', tasks })),
  fc.array(task, { maxLength: 5 }).map((tasks) => `Sure! ${JSON.stringify(tasks)} Anything else?`),
  fc.json({ maxDepth: 3 }),
  fc.string({ maxLength: 200 }),
);

/** A few of the tasks again or new ones, needing any others. */
const change = fc
  .uniqueArray(fc.record({ id: fc.nat(5), needs: fc.uniqueArray(fc.nat(5), { maxLength: 2 }) }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 2,
  })
  .map((tasks) => ({
    tasks: tasks.map(({ id, needs }) => ({
      id: `t${id}`,
      instruction: 'again',
      depends_on: needs.map((need) => `t${need}`),
    })),
  }))
  .map((plan) => JSON.stringify(plan));

const runAll = async (tasks: { id: string; depends_on: string[] }[], done = new Map<string, string>()) => {
  const ran: string[] = [];
  const results = await runGraph({
    tasks,
    width: 4,
    done,
    signal,
    run: async ({ id }) => {
      ran.push(id);
      return `result of ${id}`;
    },
  });
  return { ran, results };
};

describe('with any planner output', () => {
  test('a plan results after at most two attempts, and all its results are used', async () => {
    await fc.assert(
      fc.asyncProperty(answer, answer, async (first, second) => {
        let asked = 0;
        const { plan, faults } = await makePlan(async () => (++asked === 1 ? first : second), {
          request: 'the request',
          maxTasks,
          fallback,
          signal,
        });
        expect(asked).toBeLessThanOrEqual(2);
        expect(faults.length).toBeLessThanOrEqual(8);
        expect(graphFaults(plan.tasks, maxTasks)).toEqual([]);
        const { ran, results } = await runAll(plan.tasks);
        const ids = plan.tasks.map(({ id }) => id);
        expect(ran.toSorted()).toEqual(ids.toSorted());
        const kept: Record<string, string> = {};
        for (const [id, text] of results) kept[id] = text;
        expect(JSON.parse(JSON.stringify(kept))).toEqual(Object.fromEntries(ids.map((id) => [id, `result of ${id}`])));
      }),
      { numRuns: 300 },
    );
  });

  test('a revision of any plan runs to completion', async () => {
    await fc.assert(
      fc.asyncProperty(
        sound,
        fc.array(fc.oneof(change, answer), { minLength: 1, maxLength: 3 }),
        async (tasks, revisions) => {
          const { plan } = parsePlan(JSON.stringify({ tasks }), maxTasks);
          const state: RunState = newState();
          usePlan(state, plan ?? fallback);
          for (const text of ['', ...revisions]) {
            const wanted = parseRevision(text, state, maxTasks);
            if (wanted) useRevision(state, wanted);
            redoDependents(state);
            const settled = state.tasks.filter(({ status }) => status !== 'pending');
            const { results } = await runAll(state.tasks, new Map(settled.map(({ id }) => [id, 'settled'])));
            expect([...results.keys()].toSorted()).toEqual(state.tasks.map(({ id }) => id).toSorted());
            for (const one of state.tasks) {
              if (one.status === 'pending')
                Object.assign(one, { status: 'completed', step: `1.${one.id}`, attempts: 1 });
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    [
      'thousands of tasks',
      JSON.stringify({ tasks: Array.from({ length: 5000 }, (_, i) => ({ id: i, instruction: 'x' })) }),
    ],
    [
      'thousands of dependencies',
      JSON.stringify({
        tasks: [{ id: 'a', instruction: 'x', depends_on: Array.from({ length: 5000 }, (_, i) => `z${i}`) }],
      }),
    ],
    ['an endless text', `{"tasks": [{"id": "a", "instruction": "${'and so on '.repeat(300_000)}`],
    ['endless brackets', '[{"tasks":'.repeat(200_000)],
    ['the name of a built-in property', '{"tasks": [{"id": "__proto__", "instruction": "x"}]}'],
  ])('%s is reported as a short fault', (_, text) => {
    const { plan, faults } = parsePlan(text, maxTasks);
    expect(plan).toBeNull();
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n').length).toBeLessThan(2000);
  });

  test('a revision that forms a cycle with completed tasks is rejected', () => {
    const state = newState();
    const two = [
      { id: 'a', title: 'A', instruction: 'x', difficulty: 'easy' as const, depends_on: [] },
      { id: 'b', title: 'B', instruction: 'x', difficulty: 'easy' as const, depends_on: ['a'] },
    ];
    usePlan(state, { description: '', tasks: two });
    for (const one of state.tasks) Object.assign(one, { status: 'completed', step: `1.${one.id}` });
    const circle = JSON.stringify({ tasks: [{ id: 'a', instruction: 'again', depends_on: ['b'] }] });
    expect(parseRevision(circle, state, maxTasks)).toBeNull();
  });
});
