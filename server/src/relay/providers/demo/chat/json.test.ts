import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { chat, type Loose } from '../demo-call.test-support.ts';

const asJson = async (text: string, schema: Loose, extra = {}): Promise<Loose> => {
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  return JSON.parse((await chat(text, { response_format, ...extra })).choices[0].message.content);
};
const fence = (label: string, body: string): string => `<data ${label} mark="m1">\n${body}\n</data mark="m1">`;

describe('structured output', () => {
  test('returns a valid instance of a nested schema, filled from the text', async () => {
    const schema = z.object({
      name: z.string(),
      age: z.int().min(0).max(150),
      level: z.enum(['junior', 'senior']),
      address: z.object({ city: z.string(), zip: z.string().min(5).nullable() }),
      tags: z.array(z.string()).min(2).max(4),
      when: z.iso.date(),
      ratio: z.number().gt(0).lt(1),
      kind: z.union([z.literal('person'), z.literal('firm')]),
    });
    const value = await asJson('Jane is 34, a senior engineer who lives in Oslo', z.toJSONSchema(schema));
    expect(schema.parse(value)).toMatchObject({ name: 'Jane', age: 34, level: 'senior', address: { city: 'Oslo' } });
  });

  test('members may have names that all objects have', async () => {
    const properties = JSON.parse('{"constructor":{"type":"integer"},"__proto__":{"type":"integer"}}');
    const value = await asJson('7 and 8', {
      type: 'object',
      properties,
      required: ['constructor', '__proto__', 'valueOf'],
    });
    expect(Object.keys(value)).toEqual(['constructor', '__proto__', 'valueOf']);
  });

  test('supports references, recursion and allOf', async () => {
    const node = {
      type: 'object',
      properties: { id: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
      required: ['id'],
    };
    const schema = { $ref: '#/$defs/node', $defs: { node } };
    expect((await asJson('start at 7', schema)).id).toBe(7);
    const both = {
      allOf: [
        { type: 'object', properties: { a: { const: 1 } }, required: ['a'] },
        { properties: { b: { type: 'boolean' } }, required: ['b'] },
      ],
    };
    expect(await asJson('go', both)).toEqual({ a: 1, b: true });
  });

  const self = { $ref: '#' };
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, self]));
  test.each([
    ['in each of its parts', { type: 'object', allOf: Array(12).fill(self) }],
    ['in many members', { type: 'object', properties: wide }],
    ['in required members', { type: 'object', properties: { a: self, b: self }, required: ['a', 'b'] }],
    [
      'in a list of a billion items',
      { type: 'object', properties: { all: { type: 'array', items: self, minItems: 1e9 } } },
    ],
    [
      'nowhere, but requires a string of a gigabyte',
      { type: 'object', properties: { a: { type: 'string', minLength: 1e9 } } },
    ],
  ])(
    'a schema that refers to itself %s gets a bounded answer',
    async (_, schema) => {
      const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
      const { content } = (await chat('go', { response_format })).choices[0].message;
      expect(content).toMatch(/^[{"]/);
      expect(content.length).toBeLessThan(100_000);
    },
    10_000,
  );

  test('json_object returns an object with the requested keys', async () => {
    const response_format = { type: 'json_object' };
    const keyed = await chat('Answer as JSON with keys "city" and "country" for Paris', { response_format });
    expect(Object.keys(JSON.parse(keyed.choices[0].message.content))).toEqual(['city', 'country']);
    const free = await chat('Count to 3. Use JSON.', { response_format });
    expect(JSON.parse(free.choices[0].message.content)).toEqual({ answer: '1, 2, 3', simulation: true });
  });
});

describe('orchestration', () => {
  const text = { type: 'string' };
  const planSchema = {
    type: 'object',
    properties: {
      description: text,
      tasks: {
        type: 'array',
        maxItems: 4,
        items: {
          type: 'object',
          properties: {
            id: text,
            title: text,
            instruction: text,
            difficulty: { enum: ['easy', 'medium', 'hard'] },
            depends_on: { type: 'array', items: text },
          },
        },
      },
    },
  };
  const outline = (plan: Loose): unknown[] => plan.tasks.map((task: Loose) => [task.instruction, task.depends_on]);

  test('a plan splits lists, "then" and "and"', async () => {
    expect(
      outline(await asJson('1. List three fruits\n2. Design a shop\n3. Write a summary of the above', planSchema)),
    ).toEqual([
      ['List three fruits', []],
      ['Design a shop', []],
      ['Write a summary of the above', ['t1', 't2']],
    ]);
    const chained =
      'Split this request into tasks:\n\nWrite a poem about apples and pears, then translate it and count the words.';
    expect(outline(await asJson(chained, planSchema))).toEqual([
      ['Write a poem about apples and pears', []],
      ['translate it', ['t1']],
      ['count the words', ['t1']],
    ]);
    expect(outline(await asJson('What is love?', planSchema))).toEqual([['What is love?', []]]);
    expect((await asJson('1. a b\n2. c d\n3. e f\n4. g h\n5. i j', planSchema)).tasks).toHaveLength(4);
    expect((await asJson('Design a shop', planSchema)).tasks[0].difficulty).toBe('hard');
  });

  test('returns a plan if the prompt only shows its format, and again after an error', async () => {
    const system = 'Answer with one JSON object: {"description": "…", "tasks": [{"id": "t1", "depends_on": ["…"]}]}';
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: 'Split this request into tasks:\n\nList three fruits, then sort them.' },
      { role: 'assistant', content: 'nonsense' },
      {
        role: 'user',
        content: 'That plan cannot be used:\n- it is not JSON\nAnswer with a corrected JSON object only.',
      },
    ];
    const plan = JSON.parse((await chat(messages)).choices[0].message.content);
    expect(outline(plan)).toEqual([
      ['List three fruits', []],
      ['sort them', ['t1']],
    ]);
  });

  test('confidence in a goal rises with the number of results', async () => {
    const schema = { properties: { confidence: { type: 'number' }, missing: { type: 'array', items: text } } };
    const goal = `Judge whether the goal is reached by the results so far.\n\nGoal:\n${fence('goal', 'Build a shop with payments')}`;
    const none = await asJson(goal, schema);
    const some = await asJson(`${goal}\n\nResult of "a":\n${fence('result', 'Some page was made')}`, schema);
    const all = await asJson(
      `${goal}\n\n${fence('result', 'The shop was built')}\n\n${fence('result', 'Payments work')}`,
      schema,
    );
    expect(none.confidence).toBeLessThan(0.3);
    expect(none.missing).toHaveLength(1);
    expect(some.confidence).toBeGreaterThan(none.confidence);
    expect(all.confidence).toBeGreaterThanOrEqual(0.9);
    expect(all.missing).toEqual([]);
  });

  test('scores a result, and an empty one low', async () => {
    const schema = { properties: { score: { type: 'number' }, feedback: text } };
    const judged = (result: string): Promise<Loose> =>
      asJson(`Instruction:\n${fence('instruction', 'Name fruits')}\n\nResult:\n${fence('result', result)}`, schema);
    expect((await judged('Fruits: apple, pear')).score).toBeGreaterThan(0.7);
    expect((await judged('')).score).toBeLessThan(0.3);
  });

  test('facts quote the user verbatim', async () => {
    const prompt = [
      'Answer with JSON only: {"facts": [{"category": "one word", "quote": "…"}]}',
      fence(
        'conversation',
        'user: I prefer TypeScript over Java. What do you think?\n\nassistant: Our pick is Java.\n\nuser: Our deadline is Friday.',
      ),
    ].join('\n\n');
    const { facts } = JSON.parse((await chat(prompt)).choices[0].message.content);
    expect(facts.map((fact: Loose) => [fact.category, fact.quote])).toEqual([
      ['preference', 'I prefer TypeScript over Java.'],
      ['deadline', 'Our deadline is Friday.'],
    ]);
  });

  test('follows a task’s instruction, joins results, and omits the notice from summaries', async () => {
    const task = `Several tasks. Do only this one.\n\nYour task: Count\nCount from 20 to 22\n\nThe whole request, in the user's own words:\n\na 1 + 1 b`;
    expect((await chat(task)).choices[0].message.content).toEndWith('20, 21, 22');
    const joined = await chat([
      {
        role: 'system',
        content: `Write the answer from the results.\n\n${fence('result', 'Apples are red.')}\n\n${fence('result', 'Pears are green.')}`,
      },
      { role: 'user', content: 'Compare apples and pears' },
    ]);
    expect(joined.choices[0].message.content).toEndWith('Apples are red.\n\nPears are green.');
    const summary = await chat(
      `Write the summary that replaces this conversation.\n\n${fence('conversation', 'user: I build boats.')}`,
    );
    expect(summary.choices[0].message.content).toBe('user: I build boats.');
  });
});
