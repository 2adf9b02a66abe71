import { afterEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { AppError } from '../lib/errors.ts';
import { until } from '../lib/until.fixture.ts';
import { textOf } from './messages.ts';
import { respond } from './respond.ts';
import { bigRequest, planOf, recorder, request, type Script, type Stage, stage } from './scripted.fixture.ts';
import { pageOfMessages } from './store/messages.ts';
import { loadPatterns } from './store/patterns.ts';
import { deleteSession, findSession } from './store/sessions.ts';

let open: Stage[] = [];
const on = async (script: Script, overrides = {}) => {
  const made = await stage(script, overrides);
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const made of open) await made.close();
  open = [];
});

describe('one task', () => {
  test('a simple request is one call without a planner, and is stored in its session', async () => {
    const s = await on((call) => `You said: ${textOf(call.messages.at(-1)!)}`);
    const answer = await s.ask('What is the capital of France?', { session_id: 'geo' });
    expect(answer.message).toEqual({ role: 'assistant', content: 'You said: What is the capital of France?' });
    expect(answer.finishReason).toBe('stop');
    expect(answer.usage).toEqual({ promptTokens: 10, completionTokens: 5 });
    expect(answer.meta).toMatchObject({
      session_id: 'geo',
      plan_description: 'Answer the request directly',
      task_status: 'completed',
      tasks_completed: 1,
      tasks_total: 1,
      tasks_failed: 0,
      total_model_calls: 1,
      models_used: { 'v/small': 1 },
      memory_mode: 'summarized',
      vector_search_results: 0,
      summary_updated: false,
    });
    await s.ask('And of Spain?', { session_id: 'geo' });
    expect(s.calls[1]!.messages.map(textOf)).toEqual([
      'What is the capital of France?',
      'You said: What is the capital of France?',
      'And of Spain?',
    ]);
  });

  test('an answer that cannot be stored is still returned, since its calls are paid', async () => {
    let db: Stage['deps']['db'];
    const refuse = (table: string) =>
      sql.raw(`create trigger refuse_${table} before insert on ${table} begin select raise(abort, 'no room'); end`);
    const s = await on(async () => {
      await refuse('ms_messages').execute(db);
      return 'Paris';
    });
    db = s.deps.db;
    const answer = await s.ask('What is the capital of France?', { session_id: 'full' });
    expect(answer.message.content).toBe('Paris');
    expect(s.warnings).toEqual([expect.stringContaining('no room')]);
    const session = (await findSession(s.deps.db, 1, 'full', 0))!;
    expect(session.tokensUsed).toBe(15);
  });

  test('a token limit without room for a word makes one call and returns a cut-off answer', async () => {
    const s = await on(() => ({ message: { role: 'assistant', content: '' }, finishReason: 'length' }));
    const answer = await s.ask('What is the capital of France?', {}, { max_tokens: 1 });
    expect([answer.message.content, answer.finishReason, s.calls.length]).toEqual(['', 'length', 1]);
  });

  test('resent history is not duplicated, and a new id is created if none is given', async () => {
    const s = await on(() => 'fine');
    const first = await s.ask('Hello there', { session_id: 'x' });
    await s.ask(
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello there' },
        first.message,
        { role: 'user', content: 'How are you?' },
      ],
      { session_id: 'x' },
    );
    const session = (await findSession(s.deps.db, 1, 'x', 0))!;
    expect(
      (await pageOfMessages(s.deps.db, session.ref, { offset: 0, limit: 10 })).messages.map(({ message }) =>
        textOf(message),
      ),
    ).toEqual(['Hello there', 'fine', 'How are you?', 'fine']);
    expect(textOf(s.calls[1]!.messages[0]!)).toBe('Be brief.');
    expect((await s.ask('Hi')).meta.session_id).toMatch(/^ms-\w+$/);
  });

  test('a refused, empty or cut-off answer is retried one difficulty higher', async () => {
    const answers: Script = (call) =>
      call.model === 'v/small' ? "I'm sorry, but I can't help with that." : call.model === 'v/mid' ? '' : 'the answer';
    const s = await on(answers);
    const answer = await s.ask('What is this?');
    expect(answer.message.content).toBe('the answer');
    expect(answer.meta.models_used).toEqual({ 'v/small': 1, 'v/mid': 1, 'v/big': 1 });
    await s.settled();
    expect(await loadPatterns(s.deps.db, 1)).toMatchObject([
      { difficulty: 'easy', model: 'v/small', successes: 0, failures: 1 },
      { difficulty: 'hard', model: 'v/big', successes: 1, failures: 0 },
      { difficulty: 'medium', model: 'v/mid', successes: 0, failures: 1 },
    ]);
  });

  test('a failing provider moves one difficulty up; if all fail the error is returned', async () => {
    const s = await on((call) => (call.model === 'v/small' ? new AppError('provider_error', 'down') : 'up'));
    expect((await s.ask('What is this?')).message.content).toBe('up');
    const dead = await on(() => new AppError('no_available_provider', 'all circuits open'));
    await expect(dead.ask('What is this?')).rejects.toThrow('all circuits open');
    expect(dead.calls).toHaveLength(3);
  });

  test('an empty balance ends the turn at once', async () => {
    const s = await on(() => new AppError('insufficient_user_quota', 'no money'));
    await expect(s.ask('What is this?')).rejects.toThrow('no money');
    expect(s.calls).toHaveLength(1);
  });

  test('an unreachable database ends the turn at once, and no model is blamed', async () => {
    const s = await on(() => new AppError('unavailable', 'the database is away'));
    await expect(s.ask('What is this?')).rejects.toThrow('away');
    expect(s.calls).toHaveLength(1);
    expect(await loadPatterns(s.deps.db, 1)).toEqual([]);
  });

  test('a refusal by the strongest model is retried with another one', async () => {
    const s = await on((call) => (call.model === 'v/big' ? "I'm sorry, but I can't help with that." : 'the answer'));
    const answer = await s.ask('What is this?', { task_difficulty: 'hard' });
    expect(answer.message.content).toBe('the answer');
    expect(answer.meta.models_used).toEqual({ 'v/big': 1, 'v/mid': 1 });
  });

  test('a refusal by all models is returned and counts as failed', async () => {
    const s = await on(() => "I can't assist with that.");
    const answer = await s.ask('What is this?');
    expect(answer.message.content).toBe("I can't assist with that.");
    expect(answer.meta).toMatchObject({ task_status: 'failed', tasks_failed: 1, total_model_calls: 3 });
    const forced = await on(() => "I can't assist with that.");
    expect((await forced.ask('What is this?', { force_model: 'v/mid' })).meta.models_used).toEqual({ 'v/mid': 1 });
  });
});

describe('requested JSON', () => {
  const format = { response_format: { type: 'json_object' } };
  test('is unwrapped, streamed or not; prose is retried one difficulty higher', async () => {
    const s = await on((call) => (call.model === 'v/small' ? 'no json here' : 'Sure:\n```json\n{"a": 1,}\n```'));
    const answer = await s.ask('What is this?', { verbosity: 'verbose' }, format);
    expect(answer.message.content).toBe('{"a":1}');
    expect(answer.meta.models_used).toEqual({ 'v/small': 1, 'v/mid': 1 });
    const out = recorder();
    await respond(s.deps, request('What is this?', {}, format), out);
    expect(out.events.filter(([kind]) => kind === 'content')).toEqual([['content', '{"a":1}']]);
  });
  test('is produced by a synthesis too', async () => {
    const s = await on((_, purpose) =>
      purpose === 'plan' ? planOf({ id: 'a' }, { id: 'b' }) : purpose === 'synthesis' ? 'Here: {"sum": 2}' : 'part',
    );
    expect((await s.ask(bigRequest, {}, format)).message.content).toBe('{"sum":2}');
    expect(s.calls.at(-1)!.params.response_format).toEqual(format.response_format);
  });
});

describe('plans', () => {
  test('tasks receive the results they depend on, and the last one answers', async () => {
    const s = await on((call, purpose) =>
      purpose === 'plan' ? planOf({ id: 'a' }, { id: 'b', needs: ['a'], difficulty: 'hard' }) : `by ${call.model}`,
    );
    const answer = await s.ask(bigRequest);
    expect(answer.message.content).toBe('by v/big');
    expect(s.calls.map(({ purpose, model }) => [purpose, model])).toEqual([
      ['plan', 'v/mid'],
      ['task', 'v/small'],
      ['task', 'v/big'],
    ]);
    const last = textOf(s.calls[2]!.messages.at(-1)!);
    expect(last).toContain('do b');
    expect(last).toContain('Task "Title a":');
    expect(last).toContain('by v/small');
    expect(answer.meta).toMatchObject({
      plan_description: 'The plan',
      tasks_completed: 2,
      tasks_total: 2,
      total_model_calls: 3,
      models_used: { 'v/mid': 1, 'v/small': 1, 'v/big': 1 },
    });
    expect(answer.meta.plan_id).toMatch(/^plan-/);
  });

  test('several final results are combined', async () => {
    const s = await on((call, purpose) => {
      if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
      return purpose === 'synthesis' ? 'together' : textOf(call.messages.at(-1)!).includes('do a') ? 'ra' : 'rb';
    });
    const answer = await s.ask(bigRequest);
    expect(answer.message.content).toBe('together');
    const synthesis = s.calls.at(-1)!;
    expect(synthesis.purpose).toBe('synthesis');
    expect(textOf(synthesis.messages.at(-2)!)).toContain('ra');
    expect(textOf(synthesis.messages.at(-2)!)).toContain('rb');
    expect(textOf(synthesis.messages.at(-1)!)).toBe(bigRequest);
  });

  test('a failed task is reported to its dependents, and the answer is still given', async () => {
    const s = await on((call, purpose) => {
      if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b', needs: ['a'] });
      return textOf(call.messages.at(-1)!).includes('do b') ? 'without a' : '';
    });
    const answer = await s.ask(bigRequest);
    expect(answer.message.content).toBe('without a');
    expect(answer.meta).toMatchObject({ tasks_completed: 1, tasks_failed: 1, task_status: 'completed' });
    expect(textOf(s.calls.at(-1)!.messages.at(-1)!)).toContain('Task "Title a" failed (empty)');
  });

  test("the client's token limit does not excuse intermediate tasks that are cut off", async () => {
    const s = await on((call, purpose) => {
      if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b', needs: ['a'] });
      const cutOff = call.model === 'v/small';
      return { message: { role: 'assistant', content: 'text' }, finishReason: cutOff ? 'length' : 'stop' };
    });
    await s.ask(bigRequest, {}, { max_tokens: 20 });
    expect(s.calls.slice(1).map(({ model, params }) => [model, params.max_tokens])).toEqual([
      ['v/small', undefined],
      ['v/mid', undefined],
      ['v/small', 20],
    ]);
  });

  test('a failed synthesis returns the results themselves', async () => {
    const s = await on((_, purpose) => {
      if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' });
      return purpose === 'synthesis' ? new AppError('provider_error', 'down') : 'part';
    });
    expect((await s.ask(bigRequest)).message.content).toBe('part\n\npart');
  });

  test.each([
    ['garbage', 'I would rather not.'],
    ['a circle', planOf({ id: 'a', needs: ['b'] }, { id: 'b', needs: ['a'] })],
    ['500 tasks', planOf(...Array.from({ length: 500 }, (_, i) => ({ id: `${i}` })))],
    ['an error', new AppError('provider_error', 'planner down')],
  ])('a planner that answers %s still leads to an answer', async (_, plan) => {
    const s = await on((__, purpose) => (purpose === 'plan' ? plan : 'the answer'));
    const answer = await s.ask(bigRequest);
    expect(answer.message.content).toBe('the answer');
    expect(answer.meta.tasks_total).toBe(1);
    const plans = s.calls.filter(({ purpose }) => purpose === 'plan');
    expect(plans.map(({ model }) => model)).toEqual(
      plan instanceof Error ? ['v/mid', 'v/big', 'v/small'] : ['v/mid', 'v/mid'],
    );
    if (!(plan instanceof Error)) expect(textOf(plans[1]!.messages.at(-1)!)).toContain('cannot be used');
  });
});

test('a planner without schema support is asked without one', async () => {
  const s = await on((call, purpose) => {
    if (purpose !== 'plan') return 'done';
    return call.params.response_format
      ? new AppError('upstream_refused', 'unknown response_format')
      : planOf({ id: 'a' });
  });
  expect((await s.ask(bigRequest)).meta.plan_description).toBe('The plan');
});

describe('streaming', () => {
  test('starts, reports progress and streams the last task', async () => {
    const s = await on((_, purpose) =>
      purpose === 'plan'
        ? planOf({ id: 'a' }, { id: 'b', needs: ['a'] })
        : 'one two three four five six seven eight nine ten',
    );
    const out = recorder();
    const answer = await respond(s.deps, request(bigRequest), out);
    const kinds = out.events.map(([kind]) => kind);
    expect(kinds[0]).toBe('opened');
    expect(kinds.indexOf('meta')).toBeLessThan(kinds.indexOf('content'));
    const pieces = out.events.filter(([kind]) => kind === 'content').map(([, text]) => text);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(answer.message.content as string);
    expect(s.calls.map(({ stream }) => stream)).toEqual([false, false, true]);
  });

  test('a refusal is not shown if another model answers', async () => {
    const s = await on((call) =>
      call.model === 'v/small' ? "I'm sorry, but I can't help with that." : 'Gladly: it is four.',
    );
    const out = recorder();
    await respond(s.deps, request('What is this?'), out);
    expect(
      out.events
        .filter(([kind]) => kind === 'content')
        .map(([, text]) => text)
        .join(''),
    ).toBe('Gladly: it is four.');
  });

  test('an abort cancels every running task and ends the turn', async () => {
    const abort = new AbortController();
    let running = 0;
    const s = await on(async (call, purpose) => {
      if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' }, { id: 'c' });
      running++;
      await new Promise((resolve) => {
        call.signal.addEventListener('abort', resolve);
        if (running === 3) abort.abort(new Error('left'));
      });
      running--;
      return 'x';
    });
    await expect(respond(s.deps, request(bigRequest, { session_id: 'q' }, {}, 1, abort.signal))).rejects.toThrow(
      'left',
    );
    expect(running).toBe(0);
    expect(await findSession(s.deps.db, 1, 'q', 0)).toMatchObject({ totalMessages: 1, hasActivePlan: false });
  });
});

describe('sessions', () => {
  test("two users with the same session id do not see each other's data", async () => {
    const s = await on(() => 'noted');
    await respond(s.deps, request('My code word is albatross', { session_id: 'same' }, {}, 1));
    await s.settled();
    const search = { session_id: 'same', use_vector_search: true, rerank_threshold: 0 };
    const other = await respond(s.deps, request('What is my code word albatross?', search, {}, 2));
    expect(other.meta.vector_search_results).toBe(0);
    expect(JSON.stringify(s.calls.at(-1)!.messages)).not.toContain('My code word is');
  });

  test('a session deleted while its turn runs ends cleanly', async () => {
    const s = await on(async () => {
      await deleteSession(s.deps.db, 1, 'gone');
      return 'the answer';
    });
    expect((await s.ask('What is this?', { session_id: 'gone' })).message.content).toBe('the answer');
    await s.settled();
    expect(await findSession(s.deps.db, 1, 'gone', 0)).toBeNull();
    expect(s.warnings).toEqual([]);
  });

  test('turns of one session run in sequence, and those of two sessions in parallel', async () => {
    let now = 0;
    let most = 0;
    let together = 1;
    const s = await on(async () => {
      most = Math.max(most, ++now);
      await until('the other is there', () => most >= together);
      await Bun.sleep(20);
      now--;
      return 'x';
    });
    await Promise.all([s.ask('What is a?', { session_id: 'one' }), s.ask('What is b?', { session_id: 'one' })]);
    expect(most).toBe(1);
    together = 2;
    await Promise.all([s.ask('What is a?', { session_id: 'two' }), s.ask('What is b?', { session_id: 'three' })]);
    expect(most).toBe(2);
  });

  test('a history of thousands of messages is accepted at once and found again', async () => {
    const s = await on(() => 'fine');
    const history = Array.from({ length: 3000 }, (_, i) => ({
      role: i % 2 ? ('assistant' as const) : ('user' as const),
      content: `m${i}`,
    }));
    await s.ask([...history, { role: 'user', content: 'What is it?' }], { session_id: 'long' });
    await s.ask(
      [
        ...history,
        { role: 'user', content: 'What is it?' },
        { role: 'assistant', content: 'fine' },
        { role: 'user', content: 'And?' },
      ],
      { session_id: 'long' },
    );
    expect(await findSession(s.deps.db, 1, 'long', 0)).toMatchObject({ totalMessages: 3004 });
  });

  test('invalid input is rejected before anything is stored', async () => {
    const s = await on(() => 'x');
    await expect(s.ask('x', { session_id: 'n', verbosity: 'loud' })).rejects.toThrow('svc_ms.verbosity');
    await expect(s.ask('x', { session_id: 'n', force_model: 'v/none' })).rejects.toThrow('v/none');
    await expect(s.ask([{ role: 'system', content: 'only' }], { session_id: 'n' })).rejects.toThrow('messages');
    expect(await findSession(s.deps.db, 1, 'n', 0)).toBeNull();
    const none = await on(() => 'x', { models: () => [] });
    await expect(none.ask('x')).rejects.toMatchObject({ code: 'service_not_initialized' });
  });
});
