import { afterEach, describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import type { Deps } from '../ports.ts';
import { addEntry, deleteEntry } from '../store/knowledge.ts';
import { writeEntry } from '../turn/after-answer.ts';
import {
  bigGoal,
  engines,
  goodScript,
  judged,
  openPlace,
  type Place,
  type Script,
  score,
  type Told,
  taskOf,
} from './autonomous.fixture.ts';

const of = (told: Told[], event: string): Told['data'][] => told.filter((e) => e.event === event).map((e) => e.data);
const long = (mark: string): string => `${mark} ${'several words of text '.repeat(60)}`;

describe.each(await engines())('on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  const begin = async (script: Script, preferences: object = {}, deps: Partial<Deps> = {}) => {
    database = await open();
    await database.db
      .insertInto('ms_preferences')
      .values({ user_id: 1, value: JSON.stringify(preferences), updated_at: 1 })
      .execute();
    place = await openPlace(database, script, { deps });
  };
  afterEach(async () => {
    await place.close();
    await database.close();
  });

  test('results that fill the context window are shortened in prompts, not in the result', async () => {
    await begin(
      (asked) => {
        if (asked.purpose === 'task') return long(taskOf(asked));
        return asked.purpose === 'shorten' ? 'in short' : goodScript(asked);
      },
      { max_context_tokens: 800 },
    );
    const run = await place.execute(bigGoal, {}, { session_id: 's1' });
    const told = await place.events(run.session_id);
    const operations = of(told, 'memory_operation').map(({ operation }) => operation);
    expect(operations).toContain('summarize');
    const [summarised] = of(told, 'memory_operation').filter(({ operation }) => operation === 'summarize');
    expect(summarised.tokens_after).toBeLessThan(summarised.tokens_before);
    expect(of(told, 'context_updated').at(-1)).toMatchObject({ compressed: true, tokens_limit: 800 });
    expect(place.asked.find(({ purpose }) => purpose === 'judge')!.text).toContain('in short');
    expect(of(told, 'execution_completed')[0].result).toBe(long('c'));
  });

  test('the beginning is used if a result cannot be summarised', async () => {
    const down = new AppError('provider_error', 'down');
    await begin(
      (asked) => {
        if (asked.purpose === 'task') return long(taskOf(asked)).repeat(12);
        return asked.purpose === 'shorten' ? down : goodScript(asked);
      },
      { max_context_tokens: 2000 },
    );
    const run = await place.execute(bigGoal, {}, { session_id: 's1' });
    const told = await place.events(run.session_id);
    expect(of(told, 'memory_operation').map(({ operation }) => operation)).toContain('archive');
    expect(told.at(-1)!.event).toBe('execution_completed');
  });

  test.each([
    ["I'm sorry, but I can't help with that.", 'stop'],
    ['The result begins', 'length'],
  ])('%s (%s) does not take the place of a result', async (content, finishReason) => {
    await begin(
      (asked) => {
        if (asked.purpose === 'task') return long(taskOf(asked)).repeat(12);
        return asked.purpose === 'shorten'
          ? { message: { role: 'assistant', content }, finishReason }
          : goodScript(asked);
      },
      { max_context_tokens: 2000 },
    );
    const run = await place.execute(bigGoal, {}, { session_id: 's1' });
    const operations = of(await place.events(run.session_id), 'memory_operation').map(({ operation }) => operation);
    expect([operations.includes('archive'), operations.includes('summarize')]).toEqual([true, false]);
    const judge = place.asked.find(({ purpose }) => purpose === 'judge')!.text;
    expect([judge.includes(content), judge.includes('several words of text')]).toEqual([false, true]);
  });

  test('facts stated in the goal become knowledge', async () => {
    const fact = {
      category: 'project',
      title: 'Shop',
      content: 'The user runs a tea shop in Bergen.',
      keywords: ['tea'],
      quote: 'I run a tea shop in Bergen',
    };
    const invented = { ...fact, title: 'Made up', content: 'They sell hats.', quote: 'we also sell many hats' };
    await begin(
      (asked) => (asked.purpose === 'extraction' ? JSON.stringify({ facts: [fact, invented] }) : goodScript(asked)),
      { enable_knowledge_extraction: true },
    );
    const run = await place.execute('I run a tea shop in Bergen. Name it.', {}, { session_id: 's1' });
    const told = await place.events(run.session_id);
    const [known] = of(told, 'knowledge_extracted');
    expect(known.count).toBe(1);
    expect([known.entries[0].category, known.entries[0].title]).toEqual(['project', 'Shop']);
    expect(known.entries[0].id).toBeString();
    const rows = await database.db
      .selectFrom('ms_knowledge')
      .select(['public_id', 'source_session', 'quote', 'source_message'])
      .execute();
    const { id } = await database.db.selectFrom('ms_messages').select('id').orderBy('id').executeTakeFirstOrThrow();
    const learned = { source_session: 's1', quote: fact.quote, source_message: id };
    expect(rows).toEqual([{ public_id: known.entries[0].id, ...learned }]);
  });

  test('knowledge about the goal reaches the tasks, and the session remembers the run', async () => {
    await begin(goodScript);
    const facts = {
      category: 'project',
      title: 'Tea shop Bergen',
      content: 'The tea shop in Bergen is called Fjordblad.',
    };
    const entry = { ...facts, keywords: ['tea', 'shop'], userId: 1 };
    await writeEntry(database.db, 1, (tx) => addEntry(tx, entry, 1));
    const goal = 'What is the tea shop in Bergen called?';
    await place.execute(goal, {}, { session_id: 's1', stream_events: false });
    expect(place.asked.find(({ purpose }) => purpose === 'direct')!.text).toContain('Fjordblad');
    const messages = await database.db.selectFrom('ms_messages').select('message').orderBy('id').execute();
    expect(messages.map(({ message }) => JSON.parse(message))).toEqual([
      { role: 'user', content: goal },
      { role: 'assistant', content: 'result of direct' },
    ]);
    // A second run of the session is told of the first.
    await place.execute('And where does it lie?', {}, { session_id: 's1', stream_events: false });
    expect(place.asked.filter(({ purpose }) => purpose === 'direct').at(-1)!.text).toContain(goal);
  });

  test('recalled text is reranked if the user enabled it, and is given with its source', async () => {
    const rerank: Deps['rerank'] = async ({ documents }) => ({
      results: documents.map((text, index) => ({ index, relevance_score: text.includes('Havregryn') ? 0.9 : 0.1 })),
      usage: { promptTokens: 1, completionTokens: 0 },
    });
    await begin(goodScript, { enable_rerank: true }, { rerank });
    const entry = { category: 'project', content: 'The tea shop in Bergen', keywords: [], userId: 1 };
    for (const name of ['Fjordblad', 'Havregryn'])
      await writeEntry(database.db, 1, (tx) => addEntry(tx, { ...entry, title: `Tea shop ${name}` }, 1));
    await place.execute('What is the tea shop in Bergen called?', {}, { session_id: 's1', stream_events: false });
    const told = place.asked.find(({ purpose }) => purpose === 'direct')!.text;
    expect(told).toContain('source="knowledge base: Tea shop Havregryn, 1970-01-01"');
    expect(told).not.toContain('Fjordblad');
  });

  test('knowledge deleted while a run was paused is no longer used', async () => {
    await begin(({ purpose }) => (purpose === 'direct' ? new AppError('insufficient_user_quota', 'broke') : '{}'));
    const told = () => place.asked.findLast(({ purpose }) => purpose === 'direct')!.text;
    const fact = {
      category: 'project',
      title: 'Tea shop',
      content: 'The tea shop in Bergen is called Fjordblad',
      keywords: [],
    };
    const { id } = await writeEntry(database.db, 1, (tx) => addEntry(tx, { ...fact, userId: 1 }, 1));
    await place.execute('What is the tea shop in Bergen called?', {}, { session_id: 's1', stream_events: false });
    expect(told()).toContain('Fjordblad');
    await deleteEntry(database.db, 1, id);
    place.script = goodScript;
    const { checkpoint_id } = (await place.call('GET', '/s1/status')).body;
    await place.call('POST', '/resume', { session_id: 's1', checkpoint_id, stream_events: false });
    expect((await place.call('GET', '/s1/status')).body.status).toBe('completed');
    expect(told()).not.toContain('Fjordblad');
  });

  test('several final results are combined into one text', async () => {
    await begin((asked) => {
      if (asked.purpose === 'plan')
        return JSON.stringify({
          description: 'two',
          tasks: ['a', 'b'].map((id) => ({
            id,
            title: `Title ${id}`,
            instruction: `do ${id}`,
            difficulty: 'easy',
            depends_on: [],
          })),
        });
      if (asked.purpose === 'evaluate') return score(0.9);
      if (asked.purpose === 'judge') return judged(0.9);
      return asked.purpose === 'synthesis' ? 'both together' : `result of ${taskOf(asked)}`;
    });
    await place.execute(bigGoal, {}, { session_id: 's1', stream_events: false });
    expect((await place.call('GET', '/s1/status')).body.result).toBe('both together');
    const synthesis = place.asked.find(({ purpose }) => purpose === 'synthesis')!.text;
    expect(synthesis).toContain('result of a');
    expect(synthesis).toContain('result of b');
  });
});
