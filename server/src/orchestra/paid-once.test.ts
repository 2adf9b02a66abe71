import { afterEach, describe, expect, test } from 'bun:test';
import { keepAnswer } from '../billing/store/kept-answers.ts';
import { quotaPerUsd } from '../lib/money.ts';
import { until } from '../lib/until.fixture.ts';
import { scriptedTools } from './autonomous/run-tools.fixture.ts';
import { textOf } from './messages.ts';
import type { CompleteRequest, Deps } from './ports.ts';
import { respondOnce } from './respond-once.ts';
import { bigRequest, planOf, recorder, request, type Script, type Stage, stage } from './scripted.fixture.ts';
import { engines } from './store/db.fixture.ts';
import { recentMessages } from './store/messages.ts';
import { findSession, sessionIdOf } from './store/sessions.ts';

const cent = quotaPerUsd / 100;
const work = 'resp_1';
const heard = ({ messages }: Pick<CompleteRequest, 'messages'>): string[] =>
  messages.filter(({ role }) => role === 'tool').map(textOf);
const calling = {
  message: {
    ...{ role: 'assistant' as const, content: null },
    tool_calls: [{ id: 'c', type: 'function' as const, function: { name: 's__a', arguments: '{"n":1}' } }],
  },
};

describe.each(await engines())('a restarted turn, on %s', (_, open) => {
  let s: Stage;
  afterEach(() => s.close());

  /** As the relay does, what costs something is kept with its charge. After so many answers nothing is heard any more. */
  const paying = (most = Number.POSITIVE_INFINITY): Deps => {
    let answered = 0;
    return {
      ...s.deps,
      complete: async (asked) => {
        asked.signal.throwIfAborted();
        if (answered === most) return new Promise((_, reject) => asked.signal.addEventListener('abort', reject));
        answered += 1;
        const answer = { ...(await s.deps.complete(asked)), cost: cent };
        const row = { request_id: 'r', user_id: 1, created_at: 0, body: JSON.stringify(answer) };
        if (asked.keepAs) await keepAnswer(s.deps.db, { ...asked.keepAs, ...row });
        return answer;
      },
    };
  };
  const ask = (
    deps: Deps,
    again: boolean,
    signal = new AbortController().signal,
    out = recorder(),
    text = bigRequest,
  ) =>
    respondOnce(
      deps,
      { ...request(text, { connected_tools: true }, {}, 1, signal), calls: { work, attempt: '', again } },
      out,
    );
  /** Dies, as it were, after so many calls were paid for. */
  const dieAfter = async (calls: number, deps = paying(calls)): Promise<void> => {
    const process = new AbortController();
    const running = ask(deps, false, process.signal);
    const kept = () => s.deps.db.selectFrom('kept_answers').select('call').execute();
    await until('so many are paid', async () => (await kept()).length === calls);
    process.abort();
    await expect(running).rejects.toBeDefined();
  };
  const said = async () => {
    const session = await findSession(s.deps.db, 1, sessionIdOf(work), 0);
    return (await recentMessages(s.deps.db, session!.ref)).map(({ message }) => [message.role, textOf(message)]);
  };
  const planned: Script = (asked, purpose) => {
    if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['a', 'b'] });
    return asked.messages.map(textOf).join().includes('do c') ? 'final' : 'half';
  };

  test.each([1, 2, 3])('after %d calls makes only the remaining ones, in the same session', async (calls) => {
    s = await stage(planned, {}, open);
    await dieAfter(calls);
    const out = recorder();
    const answer = await ask(paying(), true, undefined, out);
    expect([answer.message.content, s.calls.length]).toEqual(['final', 4]);
    // What the one before paid for counts as what it cost.
    expect(answer.meta).toMatchObject({ cost: 0.04, total_model_calls: 4, tasks_completed: 3 });
    expect(await said()).toEqual([
      ['user', bigRequest],
      ['assistant', 'final'],
    ]);
    // Whoever comes once more is told the whole of it, and nothing is said twice.
    await s.settled();
    const after = s.calls.length;
    const again = recorder();
    expect(await ask(paying(), true, undefined, again)).toMatchObject({ message: { content: 'final' } });
    const content = ({ events }: typeof out) => events.flatMap(([kind, text]) => (kind === 'content' ? [text] : []));
    expect([content(again), s.calls.length]).toEqual([['final'], after]);
    expect(await said()).toHaveLength(2);
  });

  test('an answer that its process could not store is stored in the session later', async () => {
    s = await stage(planned, {}, open);
    await ask(paying(), false);
    await s.settled();
    const session = await findSession(s.deps.db, 1, sessionIdOf(work), 0);
    const [, last] = await recentMessages(s.deps.db, session!.ref);
    await s.deps.db.updateTable('ms_messages').set({ superseded: 1 }).where('id', '=', last!.id).execute();
    expect(await said()).toHaveLength(1);
    await ask(paying(), true);
    expect((await said()).at(-1)).toEqual(['assistant', 'final']);
  });

  test('a different question is asked, even for the same work', async () => {
    s = await stage(planned, {}, open);
    await dieAfter(1);
    await ask(paying(), true, undefined, undefined, 'What is the capital of France?');
    expect(s.calls.length).toBe(2);
  });

  test('a tool is not called twice: its result is reused, and a lost result is reported as unknown', async () => {
    const tools = scriptedTools({ s__a: {} });
    s = await stage(
      (asked) => (heard(asked).length === 0 ? calling : `heard: ${heard(asked)}`),
      { connectedTools: tools },
      open,
    );
    const text = 'Look it up';
    const process = new AbortController();
    const first = ask(paying(1), false, process.signal, undefined, text);
    await until('the tool has answered', () => tools.calls.length === 1 && s.calls.length === 1);
    await until('its answer is kept', async () => {
      const kept = await s.deps.db.selectFrom('kept_answers').select('body').execute();
      return kept.some(({ body }) => body.includes('s__a did it'));
    });
    process.abort();
    await expect(first).rejects.toBeDefined();
    const second = await ask(paying(), true, undefined, undefined, text);
    expect([second.message.content, tools.calls.length, s.calls.length]).toEqual(['heard: s__a did it', 1, 2]);
    // The same, but nobody heard what it came to.
    await s.deps.db.deleteFrom('kept_answers').where('call', 'not like', '%tool:%').execute();
    await s.deps.db.updateTable('kept_answers').set({ body: '{}' }).execute();
    const third = await ask(paying(), true, undefined, undefined, text);
    expect(`${third.message.content}`).toMatch(/not known whether this call happened/);
    expect(tools.calls).toHaveLength(1);
  });
});
