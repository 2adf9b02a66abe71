import { afterEach, describe, expect, test } from 'bun:test';
import { quotaPerUsd } from '../lib/money.ts';
import { scriptedTools } from './autonomous/run-tools.fixture.ts';
import type { ChatMessage } from './messages.ts';
import { textOf } from './messages.ts';
import type { CompleteRequest, Deps } from './ports.ts';
import { respond } from './respond.ts';
import { bigRequest, planOf, recorder, request, type Script, type Stage, stage } from './scripted.fixture.ts';
import { engines } from './store/db.fixture.ts';
import { mostRounds } from './turn/connected-calls.ts';

const calling = (...names: string[]) => ({
  message: {
    role: 'assistant' as const,
    content: 'Let me see.',
    tool_calls: names.map((name, i) => ({
      ...{ id: `c${i}`, type: 'function' as const, function: { name, arguments: '{"n":1}' } },
    })),
  },
});
const heard = ({ messages }: Pick<CompleteRequest, 'messages'>): string[] =>
  messages.filter(({ role }) => role === 'tool').map(textOf);
const names = ({ tools = [] }: Pick<CompleteRequest, 'tools'>): string[] =>
  tools.map((tool) => (tool as { function: { name: string } }).function.name);

describe.each(await engines())('tools of connected servers in a chat, on %s', (_, open) => {
  const stages: Stage[] = [];
  const on = async (script: Script, tools: Deps['connectedTools'], deps: Partial<Deps> = {}) => {
    const made = await stage(script, { connectedTools: tools, ...deps }, open);
    stages.push(made);
    return made;
  };
  afterEach(async () => {
    for (const made of stages.splice(0)) await made.close();
  });
  const once =
    (...called: string[]): Script =>
    (asked) =>
      heard(asked).length === 0 ? calling(...called) : `heard: ${heard(asked).join(' | ')}`;

  test('are offered to models and called for the user, by name or all of them', async () => {
    const tools = scriptedTools({ s__a: {}, s__b: {} });
    const s = await on(once('s__a'), tools);
    const named = await s.ask('Look it up', { connected_tools: ['s__a'] });
    expect([named.message.content, named.finishReason]).toEqual(['heard: s__a did it', 'stop']);
    expect(named.meta).toMatchObject({ task_status: 'completed', total_model_calls: 2 });
    expect(names(s.calls[0]!)).toEqual(['s__a']);
    expect(tools.calls).toEqual([{ userId: 1, name: 's__a', args: { n: 1 }, approved: false }]);
    await s.ask('Look it up', { connected_tools: true });
    expect(names(s.calls.at(-1)!)).toEqual(['s__a', 's__b']);
    await s.ask('Look it up');
    expect(s.calls.at(-1)!.tools).toBeUndefined();
    expect(tools.calls).toHaveLength(2);
  });

  test('text beside a call is not part of the answer, and the call appears in the reasoning', async () => {
    const s = await on(once('s__a', 's__a'), scriptedTools({ s__a: {} }));
    const out = recorder();
    await respond(s.deps, request('Look it up', { connected_tools: true, include_reasoning: true }), out);
    const said = (kind: string) => out.events.flatMap(([one, text]) => (one === kind ? [`${text}`] : [])).join('');
    expect(said('content')).toBe('heard: s__a did it | s__a did it');
    expect(said('reasoning')).toContain('Calling s__a.');
  });

  test("work beside the client's tools: ours are called, theirs are awaited, and the chat continues with both", async () => {
    const tools = scriptedTools({ s__a: {}, mine: {} });
    const s = await on(once('s__a', 'mine'), tools);
    const own = { type: 'function', function: { name: 'mine', parameters: {} } };
    const user: ChatMessage = { role: 'user', content: 'Look it up' };
    const first = await s.ask([user], { connected_tools: true }, { tools: [own] });
    expect(first.finishReason).toBe('tool_calls');
    // Where a name is both, it is the client's.
    expect(first.message.tool_calls!.map((call) => call.function.name)).toEqual(['mine']);
    expect(tools.calls.map(({ name }) => name)).toEqual(['s__a']);
    const result: ChatMessage = { role: 'tool', tool_call_id: first.message.tool_calls![0]!.id, content: 'of mine' };
    const second = await s.ask([user, first.message, result]);
    expect(second.message.content).toBe('heard: s__a did it | of mine');
    expect(names(s.calls.at(-1)!)).toEqual(['mine', 's__a']);
    // Every call of a tool stands right before what came of it, as vendors want it.
    const { messages } = s.calls.at(-1)!;
    const answered = messages.flatMap(({ role, tool_call_id }, i) =>
      role === 'tool' ? [messages[i - 1]!.tool_calls!.some(({ id }) => id === tool_call_id)] : [],
    );
    expect(answered).toEqual([true, true]);
  });

  test('are used by tasks of a plan too', async () => {
    const tools = scriptedTools({ s__a: {} });
    const s = await on((asked, purpose) => {
      if (purpose === 'plan') return planOf({ id: 'a' }, { id: 'b', needs: ['a'] });
      if (asked.messages.map(textOf).join().includes('do b')) return 'final';
      return heard(asked).length === 0 ? calling('s__a') : 'looked up';
    }, tools);
    const answer = await s.ask(bigRequest, { connected_tools: true });
    expect([answer.message.content, answer.meta.tasks_completed, tools.calls.length]).toEqual(['final', 2, 1]);
    expect(s.calls[0]!.messages.map(textOf).join()).toContain('s__a');
  });

  test('failures, oversized results, disconnects and invalid arguments are reported to the model', async () => {
    const told = async (tools: Deps['connectedTools'], args = '{}') => {
      const script: Script = (asked) => {
        if (heard(asked).length > 0) return `heard: ${heard(asked)}`;
        const asking = calling('s__a');
        asking.message.tool_calls[0]!.function.arguments = args;
        return asking;
      };
      const { message } = await (await on(script, tools)).ask('Look it up', { connected_tools: true });
      return `${message.content}`;
    };
    const failing = scriptedTools({ s__a: {} }, () => ({ text: 'no such row', isError: true, cut: false }));
    expect(await told(failing)).toMatch(/error.*no such row/s);
    const broken = scriptedTools({ s__a: {} }, () => Promise.reject(new Error('secret')));
    expect(await told(broken)).toMatch(/The call failed/);
    const long = scriptedTools({ s__a: {} }, () => ({ text: 'y'.repeat(3e6), isError: false, cut: true }));
    expect((await told(long)).length).toBeLessThan(70_000);
    expect(await told(scriptedTools({ s__a: {} }), '[1')).toMatch(/not a JSON object/);
  });

  test('the cost of a call counts towards the turn', async () => {
    const tools = scriptedTools({ s__a: {} }, () => ({ text: 'done', isError: false, cut: false, cost: 500 }));
    const s = await on(once('s__a', 's__a'), tools);
    expect((await s.ask('Look it up', { connected_tools: true })).meta.cost).toBe(1000 / quotaPerUsd);
  });

  test('a model that keeps calling is stopped, and answers with what it has', async () => {
    const tools = scriptedTools({ s__a: {} });
    const s = await on(({ params }) => (params.tool_choice === 'none' ? 'enough' : calling('s__a')), tools);
    expect((await s.ask('Look it up', { connected_tools: true })).message.content).toBe('enough');
    expect(tools.calls).toHaveLength(mostRounds);
    const forced = await on(once('s__a'), tools);
    const answer = await forced.ask('Look it up', { connected_tools: true }, { tool_choice: 'required' });
    expect(answer.message.content).toBe('heard: s__a did it');
    expect(forced.calls.map(({ params }) => params.tool_choice)).toEqual(['required', 'auto']);
  });

  test('unknown names, unavailable lists, and applications that may only use models are refused', async () => {
    const tools = scriptedTools({ s__a: {} });
    const s = await on(once('s__a'), tools);
    const refused = (svc_ms: object) => s.ask('Look it up', svc_ms as Record<string, unknown>);
    await expect(refused({ connected_tools: ['s__a', 's__x'] })).rejects.toMatchObject({
      ...{ code: 'invalid_value', message: 'svc_ms.connected_tools: there is no tool "s__x".' },
    });
    await expect(refused({ connected_tools: 'all' })).rejects.toMatchObject({ code: 'invalid_value' });
    const down = await on(once(), { ...tools, list: () => Promise.reject(new Error('down')) });
    await expect(down.ask('Hi', { connected_tools: true })).rejects.toMatchObject({ code: 'unavailable' });
    const application = await on(once(), tools, { permit: (caller) => ({ ...caller, application: 7 }) });
    await expect(application.ask('Hi', { connected_tools: true })).rejects.toMatchObject({ code: 'forbidden' });
    expect([s.calls.length, tools.calls.length]).toEqual([0, 0]);
  });
});
