import { describe, expect, test } from 'bun:test';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { until } from '../../lib/until.fixture.ts';
import { bigRequest, chatModel, planOf, type Scripted, scriptedModels } from '../scripted.fixture.ts';
import { type Asked, eitherEngine, type Scene, type Seen } from './either-engine.fixture.ts';

const easy = 'What is this?';
const hard = 'Prove the theorem rigorously, from scratch.';
const refusal = "I'm sorry, but I can't help with that.";
const down = new AppError('provider_error', 'down');

const models = ({ asked }: Seen, purpose?: string): string[] =>
  asked.filter((call) => purpose === undefined || call.purpose === purpose).map(({ model }) => model);
const promptOf = ({ asked }: Seen, task: string): string => asked.findLast((call) => call.task === task)!.text;

/** What of a prompt stands behind no fence. */
const outside = (prompt: string): string => prompt.replace(/<data [^>]*mark="(\w+)">[\s\S]*?<\/data mark="\1">/g, '');

/** What a model says, by its name; the others answer. */
const saying =
  (said: Record<string, Scripted>) =>
  ({ model }: Asked): Scripted =>
    said[model] ?? 'the answer';
/** A plan, and what its tasks say. */
const planned =
  (plan: string, task: (asked: Asked) => Scripted | Promise<Scripted>) =>
  (asked: Asked): Scripted | Promise<Scripted> =>
    asked.purpose === 'plan' ? plan : asked.purpose === 'synthesis' ? 'together' : task(asked);

interface Case extends Scene {
  /** Models asked for the work itself, in order. */
  asks: string[];
  answer?: string | null;
}
const onlyMid = { use_custom_models: true, easy_model: 'v/mid', medium_model: 'v/mid', hard_model: 'v/mid' };

/** One task: which models are asked, one after another. */
const attempts: Record<string, Case> = {
  'an empty answer is retried one difficulty higher, at most three times': {
    request: easy,
    script: () => '',
    asks: ['v/small', 'v/mid', 'v/big'],
    answer: null,
  },
  'an unresponsive model: the next stronger one is tried': {
    request: easy,
    script: saying({ 'v/small': down }),
    asks: ['v/small', 'v/mid'],
  },
  'the strongest is unresponsive: the next best one is tried': {
    request: hard,
    script: saying({ 'v/big': down }),
    asks: ['v/big', 'v/mid'],
  },
  'only the cheapest responds': {
    request: hard,
    script: saying({ 'v/big': down, 'v/mid': down }),
    asks: ['v/big', 'v/mid', 'v/small'],
  },
  'an empty answer of the strongest: another one is tried': {
    request: hard,
    script: saying({ 'v/big': '' }),
    asks: ['v/big', 'v/mid'],
  },
  'refused by the strong models: neither they nor a weaker one is tried again': {
    request: hard,
    script: saying({ 'v/big': refusal, 'v/mid': refusal }),
    asks: ['v/big', 'v/mid'],
    answer: null,
  },
  'refused by the only model the user configured: no other is tried': {
    request: easy,
    script: saying({ 'v/mid': refusal }),
    preferences: onlyMid,
    asks: ['v/mid'],
    answer: null,
  },
  'the only model the user configured is unresponsive: the next best one is tried': {
    request: hard,
    script: saying({ 'v/mid': down }),
    preferences: onlyMid,
    asks: ['v/mid', 'v/big'],
  },
  'the only model the operator configured is unresponsive: the next best one is tried': {
    request: hard,
    script: saying({ 'v/big': down }),
    operator: { plan: 'v/big', easy: 'v/big', medium: 'v/big', hard: 'v/big' },
    asks: ['v/big', 'v/mid'],
  },
  'open circuits: a healthy model is tried at once': {
    request: hard,
    script: saying({ 'v/big': down }),
    models: scriptedModels.map((model) => (model.id === 'v/big' ? { ...model, circuit: 'open' } : model)),
    asks: ['v/mid'],
  },
  'all circuits open: the models are tried anyway': {
    request: hard,
    script: saying({}),
    models: scriptedModels.map((model) => ({ ...model, circuit: 'open' })),
    asks: ['v/big'],
  },
  'the only model is unresponsive: it is tried again': {
    request: easy,
    script: saying({ 'v/only': down }),
    models: [chatModel('v/only', 1)],
    asks: ['v/only', 'v/only', 'v/only'],
    answer: null,
  },
  'calls of tools that were not offered are no answer': {
    request: easy,
    script: saying({
      'v/small': {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'clock', arguments: '{}' } }],
        },
      },
    }),
    asks: ['v/small', 'v/mid'],
  },
  'cut off by the model itself': {
    request: easy,
    script: saying({ 'v/small': { message: { role: 'assistant', content: 'half' }, finishReason: 'length' } }),
    asks: ['v/small', 'v/mid'],
  },
  'cut off by the limit of the user': {
    request: easy,
    script: saying({ 'v/small': { message: { role: 'assistant', content: 'half' }, finishReason: 'length' } }),
    preferences: { max_output_tokens: 10 },
    asks: ['v/small'],
    answer: 'half',
  },
};

/** Errors that no other model can help with: one call, and why it ended. */
const endings: [ErrorCode | TypeError, turn: string, run: string][] = [
  ['insufficient_user_quota', 'insufficient_user_quota', 'insufficient_quota'],
  ['insufficient_key_quota', 'insufficient_key_quota', 'insufficient_quota'],
  ['insufficient_credits', 'insufficient_credits', 'insufficient_quota'],
  ['invalid_api_key', 'invalid_api_key', 'key_revoked'],
  ['forbidden', 'forbidden', 'user_disabled'],
  ['ip_not_allowed', 'ip_not_allowed', 'internal_error'],
  ['invalid_value', 'invalid_value', 'internal_error'],
  ['missing_required_parameter', 'missing_required_parameter', 'internal_error'],
  [new TypeError('x is not a function'), 'internal_error', 'internal_error'],
];

describe.each(eitherEngine)('a %s', (engine, run) => {
  test.each(Object.entries(attempts))('%s', async (_, { asks, answer = 'the answer', ...scene }) => {
    const seen = await run(scene);
    expect(models(seen)).toEqual(asks);
    if (answer !== null) expect(seen.answer).toBe(answer);
  });

  test.each(endings)('%p ends the work at once', async (fault, turn, runs) => {
    const error = fault instanceof Error ? fault : new AppError(fault, 'no');
    const seen = await run({ request: easy, script: () => error });
    expect(seen.asked).toHaveLength(1);
    expect(seen.ended).toBe(engine === 'turn' ? turn : runs);
  });

  test('an outage does not raise the difficulty, and is not learned as a failure', async () => {
    const { patterns } = await run({ request: easy, script: saying({ 'v/small': down }) });
    expect(patterns).toMatchObject([{ model: 'v/mid', difficulty: 'easy', successes: 1, failures: 0 }]);
  });

  test('a server without schema support is asked without one', async () => {
    const plan = planOf({ id: 'a' }, { id: 'b', needs: ['a'] });
    const refused = new AppError('upstream_refused', 'unknown response_format');
    const script = ({ purpose, params, task }: Asked) =>
      params.response_format ? refused : purpose === 'plan' ? plan : `result of ${task}`;
    const seen = await run({ request: bigRequest, script });
    expect(seen).toMatchObject({ answer: 'result of b', ended: null });
  });

  test('work that only the planner calls hard starts as medium if similar work succeeded', async () => {
    const outcome = { kind: 'question' as const, difficulty: 'medium' as const, model: 'v/mid', ok: true };
    const outcomes = Array.from({ length: 9 }, () => outcome);
    const script = planned(planOf({ id: 'a', difficulty: 'hard' }), () => 'the answer');
    expect(models(await run({ request: bigRequest, script, outcomes }), 'task')).toEqual(['v/mid']);
    expect(models(await run({ request: bigRequest, script }), 'task')).toEqual(['v/big']);
  });

  test('several final results are combined by the easy writing model, even if only one succeeded', async () => {
    const plan = planOf({ id: 'a' }, { id: 'b' });
    const both = await run({ request: bigRequest, script: planned(plan, () => 'part') });
    expect(both.answer).toBe('together');
    expect(models(both, 'synthesis')).toEqual(['v/small']);
    const one = await run({ request: bigRequest, script: planned(plan, ({ task }) => (task === 'a' ? 'part' : '')) });
    expect(one.answer).toBe('together');
    expect(one.asked.at(-1)!.text).toContain('Task "Title b" failed');
  });

  test('a task receives the results of all its predecessors, and their failures', async () => {
    const plan = planOf({ id: 'a' }, { id: 'x' }, { id: 'b', needs: ['a', 'x'] }, { id: 'c', needs: ['b'] });
    const script = planned(plan, ({ task }) => (task === 'x' ? '' : `result of ${task}`));
    const seen = await run({ request: bigRequest, script });
    expect(seen.answer).toBe('result of c');
    expect(promptOf(seen, 'b')).toContain('Task "Title x" failed');
    for (const told of ['result of a', 'result of b', 'Task "Title x" failed'])
      expect(promptOf(seen, 'c')).toContain(told);
  });

  test.each([
    ['by the planner', undefined],
    ['by the words of the request', ['Write a poem', 'Translate the poem', 'List its rhymes']],
    ['by its words in a script without spaces', ['写一首诗', '翻译这首诗', '列出押韵']],
  ])('requested intermediate results are in the answer too, told %s', async (_, instructions) => {
    const [a, b, c] = ['a', 'b', 'c'].map((id, i) => ({
      id,
      ...(instructions ? { instruction: instructions[i]! } : { asked_for: true }),
    }));
    const plan = planOf(a!, { ...b!, needs: ['a'] }, { ...c!, needs: ['b'] });
    const request = `${bigRequest}\nFirst write a poem, then translate the poem, after that list its rhymes.\n先写一首诗,然后翻译这首诗,最后列出押韵`;
    const whole = 'poem, translation and rhymes';
    const script = ({ purpose, task }: Asked) =>
      purpose === 'plan' ? plan : purpose === 'synthesis' ? whole : `result of ${task}`;
    const seen = await run({ request, script });
    expect(seen.answer).toBe(whole);
    const told = seen.asked.at(-1)!.text;
    expect(told).toContain('each in full: "Title a", "Title b", "Title c"');
    for (const task of ['a', 'b', 'c']) expect(told).toContain(`result of ${task}`);
  });

  test.each([
    'Schreibe zuerst ein Gedicht, übersetze es dann ins Englische und liste danach die Reime auf.',
    '先写一首诗，然后翻译成英文，最后列出押韵。',
    'اكتب قصيدة أولاً ثم ترجمها إلى الإنجليزية ثم اذكر القوافي',
    'Escribe primero un poema, luego tradúcelo y al final enumera las rimas.',
  ])('%s is planned as in English', async (request) => {
    const plan = planOf({ id: 'a' }, { id: 'b', needs: ['a'] });
    const seen = await run({ request, script: planned(plan, ({ task }) => `result of ${task}`) });
    expect(seen.asked.map(({ task, purpose }) => task || purpose)).toEqual(['plan', 'a', 'b']);
  });

  test("if the planner finds a single task, it runs at the planner's difficulty without a plan", async () => {
    const request = 'Beweise, dass es unendlich viele Primzahlen gibt.';
    const script = planned(planOf({ id: 'a', difficulty: 'hard' }), () => 'the answer');
    const seen = await run({ request, script });
    expect(seen.asked.map(({ model, purpose }) => [model, purpose])).toEqual([
      ['v/mid', 'plan'],
      ['v/big', 'direct'],
    ]);
    for (const word of ['Hallo!', 'Vielen Dank', '你好'])
      expect(models(await run({ request: word, script: () => 'the answer' }))).toEqual(['v/small']);
  });

  test("every task receives the user's words, and other text only fenced", async () => {
    const plan = planOf({ id: 'a' }, { id: 'b', needs: ['a'] });
    const request = `${bigRequest}\nIn French, at most 50 words.`;
    const seen = await run({ request, script: planned(plan, ({ task }) => `result of ${task}`) });
    for (const task of ['a', 'b']) expect(outside(promptOf(seen, task))).toContain('In French, at most 50 words.');
    expect(promptOf(seen, 'b')).toContain('result of a');
    expect(outside(promptOf(seen, 'b'))).not.toContain('result of a');
  });

  test('intermediate steps are not in the answer', async () => {
    const plan = planOf({ id: 'a', instruction: 'Research the market', asked_for: false }, { id: 'b', needs: ['a'] });
    const seen = await run({ request: bigRequest, script: planned(plan, ({ task }) => `result of ${task}`) });
    expect(seen.answer).toBe('result of b');
  });

  test('if results exceed the context, the nearest one gets the most room', async () => {
    const plan = planOf({ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c', needs: ['b'] }, { id: 'd', needs: ['c'] });
    const script = planned(plan, ({ task }) => `${task}! `.repeat(20_000));
    const seen = await run({ request: bigRequest, script, preferences: { max_context_tokens: 4000 } });
    const [far, middle, near] = ['a', 'b', 'c'].map((task) => promptOf(seen, 'd').split(`${task}! `).length - 1);
    expect(far).toBeGreaterThan(100);
    expect(middle).toBeGreaterThan(1.3 * far!);
    expect(near).toBeGreaterThan(1.5 * middle!);
  });

  test.each([
    ['the context that the user allows', { preferences: { max_context_tokens: 2000 } }],
    ['the window of the model', { models: [chatModel('v/only', 1, { contextLength: 2000 })] }],
  ])('results are cut to fit %s, and short ones stay whole', async (_, scene) => {
    const plan = planOf({ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['a', 'b'] });
    const long = 'a long tale of many words '.repeat(4000);
    const script = planned(plan, ({ task }) => (task === 'a' ? long : 'result of b'));
    const seen = await run({ ...scene, request: bigRequest, script });
    expect(promptOf(seen, 'c').length).toBeLessThan(2000 * 5);
    expect(promptOf(seen, 'c')).toContain('a long tale');
    expect(promptOf(seen, 'c')).toContain('result of b');
  });

  test('at most four tasks run at once, or one if the user prefers', async () => {
    const plan = planOf(...Array.from({ length: 6 }, (_, i) => ({ id: `t${i}` })));
    const most = async (wide: number, enable_parallel_tasks: boolean) => {
      let now = 0;
      let seen = 0;
      const script = planned(plan, async () => {
        seen = Math.max(seen, ++now);
        await until('as many as may run do', () => seen >= wide);
        now--;
        return 'part';
      });
      await run({ request: bigRequest, script, preferences: { enable_parallel_tasks } });
      return seen;
    };
    expect(await most(4, true)).toBe(4);
    expect(await most(1, false)).toBe(1);
  });
});
