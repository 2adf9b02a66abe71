import { afterEach, expect, test } from 'bun:test';
import { randomString } from '../lib/ids.ts';
import { alignHistory } from './align-history.ts';
import { withStoredIds } from './call-ids.ts';
import { type ChatMessage, textOf } from './messages.ts';
import { bigRequest, planOf, type Script, type Stage, stage } from './scripted.fixture.ts';
import { findSession } from './store/sessions.ts';

let open: Stage[] = [];
const on = async (script: Script) => {
  const made = await stage(script);
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const made of open) await made.close();
  open = [];
});

const user = (content: string): ChatMessage => ({ role: 'user', content });
const bot = (content: string): ChatMessage => ({ role: 'assistant', content });
const calls = (...made: [id: string, args: string][]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: made.map(([id, args]) => ({ id, type: 'function', function: { name: 'weather', arguments: args } })),
});
const result = (id: string, content = 'rain'): ChatMessage => ({ role: 'tool', tool_call_id: id, content });
const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];

/** What is read from a client whose format has no ids: its calls are numbered anew in each request. */
function numbered(messages: ChatMessage[]): ChatMessage[] {
  const ids = new Map<string, string>();
  for (const { id } of messages.flatMap(({ tool_calls = [] }) => tool_calls)) ids.set(id, `call_${ids.size + 1}`);
  return messages.map((message) => ({
    ...message,
    ...(message.tool_calls && {
      tool_calls: message.tool_calls.map((call) => ({
        ...call,
        id: ids.get(call.id)!,
        function: { ...call.function, arguments: JSON.stringify(JSON.parse(call.function.arguments), null, 1) },
      })),
    }),
    ...(message.tool_call_id !== undefined && { tool_call_id: ids.get(message.tool_call_id)! }),
  }));
}

const oslo = '{"city":"Oslo"}';
const answeredBy = (messages: ChatMessage[]) => messages.filter(({ role }) => role === 'tool').map(textOf);
const weather: Script = ({ messages }) => {
  const told = answeredBy(messages);
  return told.length > 0
    ? `It is ${told.join(' and ')}.`
    : { message: calls(['a', oslo], ['b', '{"city":"Rome"}']) as never };
};

test('results without the ids of their calls continue the plan, whose finished tasks are not run again', async () => {
  const s = await on((asked, purpose) => {
    if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c', needs: ['b'] });
    const own = asked.messages
      .map(textOf)
      .join('\n')
      .match(/do [abc]\b/g)
      ?.at(-1);
    return own === 'do b' ? weather(asked, purpose) : own === 'do c' ? 'All is done.' : 'Done.';
  });
  const first = await s.ask(bigRequest, undefined, { tools });
  expect(first.meta.task_status).toBe('waiting_for_tools');
  const before = s.calls.length;
  const sent = [user(bigRequest), first.message, ...first.message.tool_calls!.map(({ id }) => result(id))];
  const second = await s.ask(numbered(sent), undefined, { tools });
  expect(second.meta).toMatchObject({ session_id: first.meta.session_id, plan_id: first.meta.plan_id });
  expect(second).toMatchObject({ message: { content: 'All is done.' }, meta: { tasks_completed: 3 } });
  expect(s.calls.length - before).toBe(2);
});

test('a conversation without ids is stored once, whatever number of turns it has', async () => {
  const s = await on(weather);
  const sent: ChatMessage[] = [];
  for (const city of ['Oslo', 'Rome', 'Bern']) {
    sent.push(user(`Weather in ${city}?`));
    const asked = await s.ask(numbered(sent), { session_id: 'w' }, { tools });
    // The results of earlier questions are in the conversation, so only the first one is answered by a call.
    if (asked.message.tool_calls) {
      sent.push(asked.message, ...asked.message.tool_calls.map(({ id }) => result(id)));
      const told = await s.ask(numbered(sent), { session_id: 'w' }, { tools });
      expect(told.meta.plan_id).toBe(asked.meta.plan_id);
      sent.push(told.message);
    } else sent.push(asked.message);
    expect(await findSession(s.deps.db, 1, 'w', 0)).toMatchObject({ totalMessages: sent.length });
  }
});

test('another conversation with the same calls is not continued', async () => {
  const s = await on(weather);
  const first = await s.ask('Weather in Oslo?', { session_id: 'w' }, { tools });
  const [a, b] = first.message.tool_calls!.map(({ id }) => id);
  const results = [first.message, result(a!), result(b!)];
  const others: ChatMessage[][] = [
    [user('Where is it warmer?'), ...results],
    [user('Weather in Oslo?'), bot('Which one?'), user('That in Norway.'), ...results],
    [user('Weather in Oslo?'), calls(['a', oslo]), result('a')],
    [user('Weather in Oslo?'), calls(['a', '{"city":"Rome"}'], ['b', oslo]), result('a'), result('b')],
  ];
  for (const other of others) {
    expect((await s.ask(numbered(other), undefined, { tools })).meta.plan_id).not.toBe(first.meta.plan_id);
  }
  const elsewhere = await s.ask(numbered([user('Weather in Oslo?'), ...results]), { session_id: 'x' }, { tools });
  expect(elsewhere.meta.plan_id).not.toBe(first.meta.plan_id);
  expect(await findSession(s.deps.db, 1, 'w', 0)).toMatchObject({ hasActivePlan: true, totalMessages: 2 });
});

test('property: whatever ids a client gives to calls, and wherever its history begins, nothing is stored twice', () => {
  for (let round = 0; round < 300; round++) {
    const stored: ChatMessage[] = [user('Begin.')];
    while (stored.length < 12) {
      // Few different texts and arguments, as of an agent that looks again and again.
      const made = calls(
        ...Array.from({ length: 1 + (stored.length % 2) }, () => [randomString(24), oslo] as [string, string]),
      );
      stored.push(made, ...made.tool_calls!.map(({ id }) => result(id)));
      if (Math.random() < 0.4) stored.push(bot('Done.'), user('Again.'));
    }
    const begin = stored.findIndex((message, i) => i >= Math.random() * 8 && message.role === 'user');
    const next = user('And now?');
    const incoming = [...stored.slice(Math.max(begin, 0)), next];
    for (const sent of [incoming, numbered(incoming)]) {
      expect(alignHistory(stored, withStoredIds(stored, sent))).toEqual({ keep: stored.length, fresh: [next] });
    }
  }
});

test('a client that keeps ids and goes back to an earlier call is understood by them', () => {
  const stored = [user('Look.'), calls(['x', oslo]), result('x'), calls(['y', oslo]), result('y')];
  const sent = [...stored.slice(0, 2), result('x', 'sun')];
  expect(withStoredIds(stored, sent)).toBe(sent);
});
