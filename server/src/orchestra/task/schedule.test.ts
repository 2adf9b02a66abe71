import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runGraph } from './schedule.ts';

const node = (id: string, ...depends_on: string[]) => ({ id, depends_on });
const never = new AbortController().signal;
const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('runGraph', () => {
  test('gives each task the results it depends on', async () => {
    const results = await runGraph({
      tasks: [node('c', 'a', 'b'), node('a'), node('b', 'a')],
      width: 4,
      signal: never,
      run: async (task, needed) => `${task.id}(${[...needed.values()].join('')})`,
    });
    expect(results.get('c')).toBe('c(a()b(a()))');
  });

  test('runs independent tasks in parallel, never more than the width', async () => {
    let now = 0;
    let most = 0;
    const run = async () => {
      most = Math.max(most, ++now);
      await tick();
      now--;
      return 1;
    };
    const tasks = Array.from({ length: 9 }, (_, i) => node(`${i}`));
    await runGraph({ tasks, width: 4, signal: never, run });
    expect(most).toBe(4);
    most = 0;
    await runGraph({ tasks, width: 1, signal: never, run });
    expect(most).toBe(1);
  });

  test('a failure is a result that dependents receive', async () => {
    const told: unknown[] = [];
    await runGraph({
      tasks: [node('a'), node('b', 'a')],
      width: 2,
      signal: never,
      run: async (task, needed) => {
        told.push([task.id, ...needed.values()]);
        return task.id === 'a' ? { failed: true } : { failed: false };
      },
    });
    expect(told).toEqual([['a'], ['b', { failed: true }]]);
  });

  test('an exception cancels the others, waits for them and rejects', async () => {
    let ended = false;
    const work = runGraph({
      tasks: [node('bad'), node('slow'), node('later', 'bad')],
      width: 2,
      signal: never,
      run: async (task, _, signal) => {
        if (task.id === 'bad') throw new Error('broken');
        expect(task.id).toBe('slow');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await tick();
        ended = true;
        return 1;
      },
    });
    await expect(work).rejects.toThrow('broken');
    expect(ended).toBe(true);
  });

  test('an abort reaches running tasks and starts no others', async () => {
    const abort = new AbortController();
    const started: string[] = [];
    const work = runGraph({
      tasks: [node('a'), node('b', 'a')],
      width: 1,
      signal: abort.signal,
      run: async (task, _, signal) => {
        started.push(task.id);
        abort.abort(new Error('left'));
        expect(signal.aborted).toBe(true);
        return 1;
      },
    });
    await expect(work).rejects.toThrow('left');
    expect(started).toEqual(['a']);
  });

  test('pauses after a result that requests it, and continues from completed tasks', async () => {
    const ran: string[] = [];
    const graph = {
      tasks: [node('a'), node('b', 'a'), node('c', 'b')],
      width: 2,
      signal: never,
      run: async (task: { id: string }) => {
        ran.push(task.id);
        return task.id;
      },
    };
    const first = await runGraph({ ...graph, pausesAfter: (result) => result === 'b' });
    expect([...first.keys()]).toEqual(['a', 'b']);
    first.delete('b');
    await runGraph({ ...graph, done: first });
    expect(ran).toEqual(['a', 'b', 'b', 'c']);
  });

  test('every task of an acyclic graph runs exactly once, after its dependencies', async () => {
    const edges = fc.array(fc.array(fc.nat({ max: 9 }), { maxLength: 4 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(edges, fc.integer({ min: 1, max: 5 }), async (needs, width) => {
        const tasks = needs.map((list, i) => node(`${i}`, ...list.filter((j) => j < i).map(String)));
        const finished: string[] = [];
        await runGraph({
          tasks: tasks.toReversed(),
          width,
          signal: never,
          run: async (task) => {
            expect(task.depends_on.every((id) => finished.includes(id))).toBe(true);
            await Promise.resolve();
            finished.push(task.id);
            return null;
          },
        });
        expect(finished.sort()).toEqual(tasks.map(({ id }) => id).sort());
      }),
    );
  });
});
