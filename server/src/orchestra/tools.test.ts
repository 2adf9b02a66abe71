import { afterEach, describe, expect, test } from 'bun:test';
import type { ChatMessage } from './messages.ts';
import { textOf } from './messages.ts';
import { respond } from './respond.ts';
import { bigRequest, planOf, recorder, request, type Script, type Stage, stage } from './scripted.fixture.ts';
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

const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
const call = (id = 'call_1', args = '{"city":"Oslo"}') => ({
  message: {
    role: 'assistant' as const,
    content: null,
    tool_calls: [{ id, type: 'function' as const, function: { name: 'weather', arguments: args } }],
  },
});
const result = (id: string, content = 'rain'): ChatMessage => ({ role: 'tool', tool_call_id: id, content });
const hasResult = (messages: ChatMessage[]) => messages.some(({ role }) => role === 'tool');

const twoCalls = {
  message: {
    ...call().message,
    tool_calls: [...call('a').message.tool_calls, ...call('b').message.tool_calls],
  },
};

const weather: Script = ({ messages }) => (hasResult(messages) ? `It is ${textOf(messages.at(-1)!)}.` : call());

describe('one task', () => {
  test('a tool call ends the request, and its result continues it, found by the call id alone', async () => {
    const s = await on(weather);
    const user: ChatMessage = { role: 'user', content: 'Weather in Oslo?' };
    const first = await s.ask([user], { session_id: 'w' }, { tools });
    expect(first.finishReason).toBe('tool_calls');
    expect(first.meta).toMatchObject({ task_status: 'waiting_for_tools', tasks_completed: 0, tasks_total: 1 });
    const id = first.message.tool_calls![0]!.id;
    expect(id).toMatch(/^call_\w{24}$/);
    expect(await findSession(s.deps.db, 1, 'w', 0)).toMatchObject({ hasActivePlan: true, totalMessages: 2 });
    // A plain client: no svc_ms, and the tools not sent again.
    const second = await s.ask([user, first.message, result(id)]);
    expect(second.message.content).toBe('It is rain.');
    expect(second.finishReason).toBe('stop');
    expect(second.meta).toMatchObject({ session_id: 'w', plan_id: first.meta.plan_id, task_status: 'completed' });
    expect(s.calls[1]!.tools).toEqual(tools);
    expect(s.calls[1]!.messages.slice(-2)).toEqual([{ ...first.message, role: 'assistant' }, result(id)]);
    expect(await findSession(s.deps.db, 1, 'w', 0)).toMatchObject({ hasActivePlan: false, totalMessages: 4 });
  });

  test('a tool call can follow another', async () => {
    const s = await on(({ messages }) => (messages.filter(({ role }) => role === 'tool').length < 2 ? call() : 'done'));
    const messages: ChatMessage[] = [{ role: 'user', content: 'Weather?' }];
    for (let round = 0; round < 2; round++) {
      const answer = await s.ask(messages, undefined, { tools });
      messages.push(answer.message, result(answer.message.tool_calls![0]!.id));
    }
    expect((await s.ask(messages, undefined, { tools })).message.content).toBe('done');
  });

  test('missing results are a 400 that names them, and the plan keeps waiting', async () => {
    const s = await on(({ messages }) => (hasResult(messages) ? 'both' : twoCalls));
    const user: ChatMessage = { role: 'user', content: 'Weather?' };
    const first = await s.ask([user], undefined, { tools });
    const [a, b] = first.message.tool_calls!.map(({ id }) => id);
    await expect(s.ask([user, first.message, result(a!)])).rejects.toThrow(b!);
    expect((await s.ask([user, first.message, result(a!), result(b!)])).message.content).toBe('both');
  });

  test('a result that is there twice is a 400 that names it, and the plan keeps waiting', async () => {
    const s = await on(({ messages }) => (hasResult(messages) ? 'both' : twoCalls));
    const user: ChatMessage = { role: 'user', content: 'Weather?' };
    const first = await s.ask([user], { session_id: 'w' }, { tools });
    const [a, b] = first.message.tool_calls!.map(({ id }) => id);
    const asked = [user, first.message, result(a!), result(b!)];
    const twice = s.ask([...asked, result(a!, 'snow')], { session_id: 'w' });
    await expect(twice).rejects.toMatchObject({ code: 'invalid_value', message: expect.stringContaining(a!) });
    expect(await findSession(s.deps.db, 1, 'w', 0)).toMatchObject({ hasActivePlan: true, totalMessages: 2 });
    expect((await s.ask(asked)).message.content).toBe('both');
  });

  test('text beside the results, as agents send it, does not abandon the plan', async () => {
    const s = await on(({ messages }) => (hasResult(messages) ? messages.slice(-2).map(textOf).join(' + ') : call()));
    const user: ChatMessage = { role: 'user', content: 'Weather in Oslo?' };
    const first = await s.ask([user], { session_id: 'w' }, { tools });
    const beside: ChatMessage = { role: 'user', content: 'In Celsius, please.' };
    const results = [user, first.message, result(first.message.tool_calls![0]!.id), beside];
    const second = await s.ask(results, { session_id: 'w' });
    expect(second.meta).toMatchObject({ plan_id: first.meta.plan_id, task_status: 'completed' });
    expect(second.message.content).toBe('rain + In Celsius, please.');
  });

  test('a new message with only some of the results abandons the plan', async () => {
    const s = await on(({ messages }) => (textOf(messages.at(-1)!) === 'Stop.' ? 'Stopped.' : twoCalls));
    const user: ChatMessage = { role: 'user', content: 'Weather?' };
    const first = await s.ask([user], { session_id: 'w' }, { tools });
    const [a] = first.message.tool_calls!;
    const second = await s.ask([user, first.message, result(a!.id), { role: 'user', content: 'Stop.' }], {
      session_id: 'w',
    });
    expect(second.message.content).toBe('Stopped.');
    expect(second.meta.plan_id).not.toBe(first.meta.plan_id);
  });

  test("another user's call id is not found", async () => {
    const s = await on(weather);
    const first = await s.ask('Weather in Oslo?', { session_id: 'w' }, { tools });
    const messages = [
      { role: 'user' as const, content: 'mine' },
      first.message,
      result(first.message.tool_calls![0]!.id),
    ];
    const other = await respond(s.deps, request(messages, undefined, {}, 2));
    expect(other.meta.session_id).not.toBe('w');
    expect(await findSession(s.deps.db, 1, 'w', 0)).toMatchObject({ hasActivePlan: true, totalMessages: 2 });
  });

  test("a new message or a day's wait abandons the plan", async () => {
    const s = await on(weather);
    const first = await s.ask('Weather in Oslo?', { session_id: 'w' }, { tools });
    await s.ask('What else is new?', { session_id: 'w' }, { tools });
    expect(JSON.stringify(s.calls.at(-1)!.messages)).not.toContain('tool_calls');
    const late = [
      { role: 'user' as const, content: 'Weather in Oslo?' },
      first.message,
      result(first.message.tool_calls![0]!.id),
    ];
    const answer = await s.ask(late);
    expect(answer.meta.plan_id).not.toBe(first.meta.plan_id);
    const again = await s.ask('Weather in Oslo?', { session_id: 'v' }, { tools });
    s.clock.advance(24 * 3600 * 1000 + 1000);
    const old = [
      { role: 'user' as const, content: 'Weather in Oslo?' },
      again.message,
      result(again.message.tool_calls![0]!.id),
    ];
    const expired = await s.ask(old);
    expect(expired.meta.plan_id).not.toBe(again.meta.plan_id);
    expect(expired.message.content).toBe('It is rain.');
  });

  test('the same results sent twice concurrently are processed once', async () => {
    const s = await on(weather);
    const user: ChatMessage = { role: 'user', content: 'Weather in Oslo?' };
    const first = await s.ask([user], { session_id: 'w' }, { tools });
    const messages = [user, first.message, result(first.message.tool_calls![0]!.id)];
    const both = await Promise.all([s.ask(messages), s.ask(messages)]);
    expect(both.filter(({ meta }) => meta.plan_id === first.meta.plan_id)).toHaveLength(1);
  });
});

describe('during a plan', () => {
  const script: Script = ({ messages }, purpose) => {
    if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['a', 'b'] });
    const text = messages.map(textOf).join('\n');
    if (text.includes('do c')) return `final of ${/ra/.test(text)} ${/rain/.test(text)}`;
    if (text.includes('do a')) return 'ra';
    return hasResult(messages) ? 'rain it is' : call();
  };

  test('completed tasks are not run again', async () => {
    const s = await on(script);
    const user: ChatMessage = { role: 'user', content: bigRequest };
    const first = await s.ask([user], undefined, { tools });
    expect(first.meta).toMatchObject({ task_status: 'waiting_for_tools', tasks_completed: 1, tasks_total: 3 });
    const second = await s.ask([user, first.message, result(first.message.tool_calls![0]!.id)], undefined, { tools });
    expect(second.message.content).toBe('final of true true');
    expect(second.meta).toMatchObject({ tasks_completed: 3, task_status: 'completed', total_model_calls: 2 });
    expect(s.calls.filter(({ purpose }) => purpose === 'plan')).toHaveLength(1);
  });

  test('text beside the results reaches the tasks that follow', async () => {
    const s = await on(script);
    const user: ChatMessage = { role: 'user', content: bigRequest };
    const first = await s.ask([user], undefined, { tools });
    const beside: ChatMessage = { role: 'user', content: 'All of it in Danish.' };
    const messages = [user, first.message, result(first.message.tool_calls![0]!.id), beside];
    const second = await s.ask(messages, undefined, { tools });
    expect(second.meta).toMatchObject({ plan_id: first.meta.plan_id, tasks_completed: 3, total_model_calls: 2 });
    for (const { messages } of s.calls.slice(-2))
      expect(messages.map(textOf).join('\n')).toContain('All of it in Danish.');
  });

  test('a stream ends with the calls and continues in the next request', async () => {
    const s = await on(script);
    const user: ChatMessage = { role: 'user', content: bigRequest };
    const first = await respond(s.deps, request([user], undefined, { tools }), recorder());
    const out = recorder();
    const messages = [user, first.message, result(first.message.tool_calls![0]!.id)];
    await respond(s.deps, request(messages, undefined, { tools }), out);
    expect(
      out.events
        .filter(([kind]) => kind === 'content')
        .map(([, text]) => text)
        .join(''),
    ).toBe('final of true true');
  });
});

test('a required tool disables planning', async () => {
  const s = await on(() => call());
  const answer = await s.ask(bigRequest, undefined, { tools, tool_choice: 'required' });
  expect(answer.meta.total_model_calls).toBe(1);
  expect(s.calls[0]!.params.tool_choice).toBe('required');
});
