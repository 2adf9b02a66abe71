import { afterEach, describe, expect, test } from 'bun:test';
import { parseOverride } from '../routing/override.ts';
import type { ChatMessage } from './messages.ts';
import { respond } from './respond.ts';
import { bigRequest, planOf, recorder, request, type Script, type Stage, stage } from './scripted.fixture.ts';

let s: Stage;
const on = async (script: Script) => {
  s = await stage(script);
  return s;
};
afterEach(() => s.close());

const tools = ['clock', 'weather'].map((name) => ({ type: 'function', function: { name, parameters: {} } }));
const calling = (...names: string[]) => ({
  message: {
    role: 'assistant' as const,
    content: null,
    tool_calls: names.map((name, i) => ({
      id: `c${i}`,
      type: 'function' as const,
      function: { name, arguments: '{}' },
    })),
  },
});
const refused = (param: string) => ({ status: 400, extras: { param } });

describe('request fields', () => {
  test('general fields are sent with every call, and work-related fields with the tasks', async () => {
    const plan = planOf({ id: 'a' }, { id: 'b' });
    await on((_, purpose) => (purpose === 'plan' ? plan : 'done'));
    const all = { user: 'u-1', metadata: { team: 'x' } };
    const provider = { only: ['acme'] };
    await s.ask(bigRequest, {}, { ...all, provider, reasoning_effort: 'low', top_k: 5, n: 1 });
    expect(s.calls.map(({ purpose }) => purpose)).toEqual(['plan', 'task', 'task', 'synthesis']);
    for (const { params, override, purpose } of s.calls) {
      expect(params).toMatchObject(all);
      expect(override).toEqual(parseOverride(provider));
      expect(params.reasoning_effort).toBe(purpose === 'plan' ? undefined : 'low');
      expect(params.top_k).toBe(purpose === 'plan' ? undefined : 5);
    }
  });

  test('fields that an orchestrated answer cannot support are rejected', async () => {
    await on(() => 'done');
    await expect(s.ask('What is this?', {}, { n: 2 })).rejects.toMatchObject(refused('n'));
    await expect(s.ask('What is this?', {}, { logprobs: true })).rejects.toMatchObject(refused('logprobs'));
    expect(s.calls).toEqual([]);
  });

  test('parallel_tool_calls false lets one task at a time call tools', async () => {
    const plan = planOf({ id: 'a' }, { id: 'b' });
    await on((_, purpose) => (purpose === 'plan' ? plan : calling('clock')));
    const ask = (parallel_tool_calls?: boolean) => s.ask(bigRequest, {}, { tools, parallel_tool_calls });
    expect((await ask()).message.tool_calls).toHaveLength(2);
    expect((await ask(false)).message.tool_calls).toHaveLength(1);
    expect(s.calls.at(-1)!.params.parallel_tool_calls).toBe(false);
  });

  test.each([
    ['output_mode', 'brief'],
    ['query', 'x'],
    ['verbosty', null],
  ])('svc_ms.%s does not exist', async (name, value) => {
    await on(() => 'done');
    const asked = s.ask('What is this?', { [name]: value });
    await expect(asked).rejects.toMatchObject(refused(`svc_ms.${name}`));
  });
});

describe('a required tool call', () => {
  const named = { type: 'function', function: { name: 'clock' } };
  const answers: Record<string, Script> = {
    'with text': () => 'It is noon.',
    'with a call of another': () => calling('weather'),
  };

  test.each([
    ['required', 'with text', 'a tool, which tool_choice requires'],
    [named, 'with text', 'clock, which tool_choice names'],
    [named, 'with a call of another', 'clock, which tool_choice names'],
  ] as const)('%j answered %s: other models are tried, then an error is returned', async (tool_choice, how, words) => {
    await on(answers[how]!);
    const asked = () => s.ask('What time is it?', {}, { tools, tool_choice });
    await expect(asked()).rejects.toMatchObject({ status: 502, message: `No model called ${words}` });
    expect(s.calls.map(({ model }) => model)).toEqual(['v/small', 'v/mid', 'v/big']);
    const out = recorder();
    const streamed = respond(s.deps, request('What time is it?', {}, { tools, tool_choice }), out);
    await expect(streamed).rejects.toMatchObject({ status: 502 });
    expect(out.events.filter(([kind]) => kind === 'content')).toEqual([]);
  });

  test('is made by the next model', async () => {
    await on(({ model }) => (model === 'v/small' ? 'It is noon.' : calling('clock')));
    for (const tool_choice of ['required', named]) {
      const { message, finishReason } = await s.ask('What time is it?', {}, { tools, tool_choice });
      expect(finishReason).toBe('tool_calls');
      expect(message).toMatchObject({ content: null, tool_calls: [{ function: { name: 'clock' } }] });
    }
  });

  test('must name one of the given tools', async () => {
    await on(() => 'done');
    const other = { type: 'function', function: { name: 'oven' } };
    for (const body of [{ tool_choice: 'required' }, { tools, tool_choice: other }])
      await expect(s.ask('What time is it?', {}, body)).rejects.toMatchObject(refused('tool_choice'));
  });
});

describe('tool results', () => {
  const user: ChatMessage = { role: 'user', content: 'What time is it?' };
  const result = (tool_call_id: string): ChatMessage => ({ role: 'tool', tool_call_id, content: 'noon' });
  const unknown = { status: 400, message: expect.stringContaining('call_nobody') };

  test('that answer no known call are rejected by id, and nothing is stored', async () => {
    await on(() => calling('clock'));
    const first = await s.ask([user], { session_id: 's' }, { tools });
    const id = first.message.tool_calls![0]!.id;
    const calls = s.calls.length;
    for (const messages of [
      [user, result('call_nobody')],
      [user, first.message, result('call_nobody')],
      [user, first.message, result(id), result('call_nobody')],
    ]) {
      await expect(s.ask(messages)).rejects.toMatchObject(unknown);
      await expect(s.ask(messages, { session_id: 's' })).rejects.toMatchObject(unknown);
    }
    expect(s.calls).toHaveLength(calls);
  });

  test('of calls that another model made, or the session stores, are accepted', async () => {
    await on(({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Noon.' : calling('clock')));
    const elsewhere = { ...calling('clock').message, tool_calls: calling('clock').message.tool_calls };
    expect((await s.ask([user, elsewhere, result('c0')], {}, { tools })).message.content).toBe('Noon.');
    const first = await s.ask([user], { session_id: 's' }, { tools });
    const id = first.message.tool_calls![0]!.id;
    expect((await s.ask([result(id)], { session_id: 's' }, { tools })).message.content).toBe('Noon.');
    expect((await s.ask([result(id)], { session_id: 's' }, { tools })).message.content).toBe('Noon.');
  });
});
