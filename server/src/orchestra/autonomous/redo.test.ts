import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { OpenDb } from '../../platform/db/open.ts';
import {
  type Asked,
  bigGoal,
  judged,
  openPlace,
  openSqlite,
  type Place,
  planOf,
  type Script,
  score,
  taskOf,
} from './autonomous.fixture.ts';

let database: OpenDb;
let place: Place;
beforeEach(async () => {
  database = await openSqlite();
});
afterEach(async () => {
  await place.close();
  await database.close();
});

/** Runs a → b → c and x, with the script's answers before those of a run that goes well. */
const run = async (script: (asked: Asked) => ReturnType<Script> | undefined, config: object = {}) => {
  place = await openPlace(database, (asked) => script(asked) ?? well(asked));
  return execute(config);
};
const execute = async (config: object = {}) => {
  const { body } = await place.call('POST', '/execute', {
    message: bigGoal,
    session_id: 's',
    stream_events: false,
    config,
  });
  return body;
};
const times = new Map<string, number>();
beforeEach(() => times.clear());
/** Each result says which time it is, and what it was made of. */
const done = (asked: Asked): string => {
  const task = taskOf(asked);
  const time = (times.get(task) ?? 0) + 1;
  times.set(task, time);
  return `${task}${time} of (${[...new Set(asked.text.match(/\b[abcx]\d(?= of)/g))].sort().join(' ')})`;
};
const well: Script = (asked) => {
  if (asked.purpose === 'plan')
    return planOf({ id: 'a' }, { id: 'x' }, { id: 'b', needs: ['a'] }, { id: 'c', needs: ['b', 'x'] });
  if (asked.purpose === 'evaluate') return score(0.9);
  if (asked.purpose === 'judge') return judged(0.95);
  return done(asked);
};
const worked = (): string[] => place.asked.filter(({ purpose }) => purpose === 'task').map(taskOf);
const told = async (event: string) => (await place.events('s')).filter((one) => one.event === event);
/** The first judgement is low, later ones are not. */
const lowOnce = () => {
  let judgements = 0;
  return ({ purpose }: Asked) => (purpose === 'judge' && ++judgements === 1 ? judged(0.4) : undefined);
};

describe('redoing a task also redoes the tasks that depend on it', () => {
  test('when the plan is revised', async () => {
    const low = lowOnce();
    const { result } = await run(
      (asked) => low(asked) ?? (asked.purpose === 'revise' ? planOf({ id: 'a' }) : undefined),
    );
    expect(worked().toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'x']);
    expect(result).toBe('c2 of (a2 b2 x1)');
    expect((await told('task_redone')).map(({ data }) => data.task_id)).toEqual(['a', 'b', 'c']);
  });

  test('when a weak result is redone without a planner', async () => {
    const low = lowOnce();
    const weak = ({ purpose, text }: Asked) =>
      purpose === 'evaluate' && /\bb[12] of/.test(text) ? score(0.3, 'thin') : undefined;
    const { result } = await run((asked) => low(asked) ?? weak(asked), { enable_smart_tasks: false });
    expect(result).toBe('c2 of (a1 b3 x1)');
  });

  test('when a failed task succeeds later', async () => {
    const low = lowOnce();
    let failures = 0;
    const fails = (asked: Asked) =>
      asked.purpose === 'task' && taskOf(asked) === 'a' && ++failures <= 3 ? '' : undefined;
    const { result } = await run((asked) => low(asked) ?? fails(asked), { enable_smart_tasks: false });
    expect(result).toBe('c2 of (a1 b2 x1)');
  });

  test('after a resume', async () => {
    let failures = 0;
    const fails = (asked: Asked) =>
      asked.purpose === 'task' && taskOf(asked) === 'a' && ++failures <= 3 ? '' : undefined;
    const low = lowOnce();
    await run((asked) => low(asked) ?? fails(asked), { max_iterations: 1 });
    const { checkpoints } = (await place.call('GET', '/s/checkpoints')).body.data;
    const { body } = await place.call('POST', '/resume', {
      session_id: 's',
      checkpoint_id: checkpoints.at(-1).checkpoint_id,
      stream_events: false,
    });
    expect(body).toMatchObject({ status: 'completed', result: 'c2 of (a1 b2 x1)' });
  });
});

describe('insufficient results', () => {
  test('a result below the threshold is redone before other tasks use it', async () => {
    const { result, shortfalls } = await run(({ purpose, text }) =>
      purpose === 'evaluate' && /\ba1 of/.test(text) ? score(0.1, 'too thin') : undefined,
    );
    expect(worked().toSorted()).toEqual(['a', 'a', 'b', 'c', 'x']);
    expect(place.asked.findLast((asked) => taskOf(asked) === 'a')!.text).toMatch(
      // What a judge says may repeat what a tool wrote, and is not the user's voice.
      /Make good what was found wanting in it:\n<data remarks mark="(\w+)">\ntoo thin\n<\/data mark="\1">/,
    );
    expect(result).toBe('c1 of (a2 b1 x1)');
    expect(shortfalls).toBeUndefined();
  });

  test('the better of two results is kept, and the run reports its low score', async () => {
    const { status, result, shortfalls } = await run(({ purpose, text }) => {
      if (purpose !== 'evaluate' || !/Result:\n<[^>]*>\na\d of/.test(text)) return undefined;
      return /\na1 of/.test(text) ? score(0.4, 'thin') : score(0.1, 'worse');
    });
    expect(status).toBe('completed');
    expect(worked().filter((task) => task === 'a')).toHaveLength(2);
    expect(result).toBe('c1 of (a1 b1 x1)');
    expect(shortfalls).toEqual(['"Title a" scored 0.4: thin']);
    expect((await told('execution_completed'))[0]!.data.shortfalls).toEqual(shortfalls);
    expect((await place.call('GET', '/s/status')).body.shortfalls).toEqual(shortfalls);
  });

  test('gaps named by the judge are worked on, even if it is confident', async () => {
    let judgements = 0;
    const { result, shortfalls } = await run(({ purpose }) => {
      if (purpose === 'judge') return ++judgements === 1 ? judged(0.95, ['a name']) : judged(0.95);
      return purpose === 'revise' ? planOf({ id: 'n', needs: ['c'] }) : undefined;
    });
    expect(place.asked.find(({ purpose }) => purpose === 'revise')!.text).toContain('a name');
    expect(result).toStartWith('n1 of');
    expect(shortfalls).toBeUndefined();
  });

  test.each([{}, { enable_smart_tasks: false }, { max_iterations: 1 }])(
    'a judge that always finds gaps is followed only a few times (%j)',
    async (config) => {
      const { status, shortfalls } = await run(({ purpose }) => {
        if (purpose === 'judge') return judged(0.95, ['everything']);
        return purpose === 'revise' ? planOf({ id: 'c', needs: ['b', 'x'] }) : undefined;
      }, config);
      expect(status).toBe('completed');
      expect(shortfalls).toEqual(['Missing: everything']);
      const judgements = place.asked.filter(({ purpose }) => purpose === 'judge').length;
      expect(judgements).toBe('max_iterations' in config ? 1 : 3);
    },
  );
});
