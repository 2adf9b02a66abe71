import { afterEach, describe, expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../lib/clock.ts';
import type { ConnectedTools } from '../../lib/connected-tools.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import { toolLimitMs } from '../connected-tools.ts';
import type { Deps } from '../ports.ts';
import { bigGoal, engines, never, openPlace, type Place, type Script, taskOf } from './autonomous.fixture.ts';
import { bring, callingScript, decide, heard, scriptedTools, toolOf } from './run-tools.fixture.ts';

const uses = (name: string, args = '{"n":1}'): Script => callingScript({ c: [[name, args]] });

describe.each(await engines())('tools of connected servers, on %s', (_name, open) => {
  let database: OpenDb;
  const places: Place[] = [];
  const begin = async (script: Script, connectedTools: ConnectedTools, deps: Partial<Deps> = {}, guardMs?: number) => {
    database = places.length === 0 ? await open() : database;
    const place = await openPlace(database, script, { deps: { connectedTools, ...deps }, ...(guardMs && { guardMs }) });
    places.push(place);
    return place;
  };
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
    await database.close();
  });
  const start = (place: Place, config: object, more = {}) =>
    place.call('POST', '/execute', {
      ...{ message: bigGoal, config, session_id: 's1', stream_events: false },
      ...more,
    });
  const status = async (place: Place) => (await place.call('GET', '/s1/status')).body;
  const resume = async (place: Place, brought: object = {}, checkpoint_id?: string) =>
    place.call('POST', '/resume', {
      ...{ session_id: 's1', checkpoint_id: checkpoint_id ?? (await status(place)).checkpoint_id },
      ...{ stream_events: false, ...brought },
    });
  /** What the task was told of its call. */
  const told = (place: Place): string | undefined => place.asked.filter((one) => taskOf(one) === 'c').flatMap(heard)[0];

  test('are called for the user, limited to those the run names', async () => {
    const tools = scriptedTools({ s__a: {}, s__b: {} });
    const place = await begin(uses('s__b'), tools);
    expect((await start(place, { connected_tools: ['s__a'] })).body.status).toBe('completed');
    expect([tools.calls, told(place)]).toEqual([[], 'There is no tool called "s__b".']);
    place.asked.length = 0;
    expect((await start(place, { connected_tools: ['s__b'] })).body.result).toBe('heard: s__b did it');
    expect(tools.calls).toMatchObject([{ userId: 1, name: 's__b', args: { n: 1 } }]);
    const events = (await place.events('s1')).map(({ event }) => event);
    expect(events.filter((event) => event.startsWith('tool_call'))).toEqual([
      'tool_call_started',
      'tool_call_finished',
    ]);
  });

  test('tool errors, oversized results and invalid arguments are reported to the model', async () => {
    const cases: [ConnectedTools, string, RegExp][] = [
      [
        scriptedTools({ s__a: {} }, () => ({ text: 'no such row', isError: true, cut: false })),
        '{}',
        /error.*no such/s,
      ],
      [scriptedTools({ s__a: {} }, () => Promise.reject(new Error('secret'))), '{}', /^The call failed\..*not known/],
      [scriptedTools({ s__a: {} }, () => ({ text: 'y'.repeat(3e6), isError: false, cut: true })), '{}', /y\n\[cut/],
      [scriptedTools({ s__a: {} }), '[1', /not a JSON object/],
    ];
    for (const [tools, args, words] of cases) {
      const place = await begin(uses('s__a', args), tools);
      expect((await start(place, { connected_tools: true })).body.status).toBe('completed');
      expect(told(place)).toMatch(words);
      expect(told(place)!.length).toBeLessThan(66_000);
    }
  });

  test('are not called after the run has reached its maximum cost', async () => {
    const tools = scriptedTools({ s__a: {} });
    const calls = uses('s__a');
    const place = await begin(async (asked) => {
      const said = await calls(asked);
      const answer = typeof said === 'string' ? { message: { role: 'assistant' as const, content: said } } : said;
      return taskOf(asked) === 'c' ? { ...(answer as object), cost: 5000 } : said;
    }, tools);
    const { body } = await start(place, { connected_tools: true }, { max_cost: 0.01 });
    expect([body.status, body.reason, tools.calls]).toEqual(['paused', 'max_cost', []]);
    expect((await resume(place, { max_cost: 1 })).body.result).toBe('heard: s__a did it');
    expect(tools.calls).toHaveLength(1);
  });

  test('the cost of a call counts towards the run', async () => {
    const of = async (cost: number) => {
      const tools = scriptedTools({ s__a: {} }, () => ({ text: 'done', isError: false, cut: false, cost }));
      const place = await begin(uses('s__a'), tools);
      await start(place, { connected_tools: true });
      return (await status(place)).total_cost as number;
    };
    const free = await of(0);
    expect((await of(700)) - free).toBe(700);
  });

  test('a hanging tool is abandoned at its timeout, even if it ignores the signal', async () => {
    const clock = manualClock(Date.now());
    const tools = scriptedTools({ s__a: {} }, () => never());
    const place = await begin(uses('s__a'), tools, { clock });
    await start(place, { connected_tools: true, max_time_secs: 86_400 }, { stream_events: true });
    await until('it is called', () => tools.calls.length === 1);
    clock.advance(toolLimitMs);
    expect((await place.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect(told(place)).toMatch(/did not respond within 300 seconds/);
  });

  test('the run waits if tools cannot be listed', async () => {
    const tools = scriptedTools({ s__a: {} });
    const place = await begin(uses('s__a'), { ...tools, list: () => Promise.reject(new Error('down')) });
    expect((await start(place, { connected_tools: true })).body.reason).toBe('tools_unavailable');
    expect((await start(place, { connected_tools: ['s__a'] })).status).toBe(503);
  });

  test('a call interrupted by a crash is not repeated, and the model is told', async () => {
    const tools = scriptedTools({ s__a: {} }, () => never());
    const first = await begin(uses('s__a'), tools, {}, 1e8);
    await start(first, { connected_tools: true }, { stream_events: true });
    await until('it is called', () => tools.calls.length === 1);
    const second = await begin(uses('s__a'), tools);
    await second.beats(deadAfterMs + beatMs);
    expect((await second.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect([tools.calls.length, told(second)]).toEqual([1, expect.stringMatching(/^It is not known whether/)]);
  });

  test('with approval required, nothing is called before it, and a refusal is passed on with its note', async () => {
    const tools = scriptedTools({ s__a: {}, s__b: { askFirst: true } });
    const script = callingScript({
      c: [
        ['s__a', '{"n":1}'],
        ['s__b', '{"n":2}'],
        ['mine', '{}'],
      ],
    });
    const place = await begin(script, tools, { clock: systemClock });
    const config = { connected_tools: true };
    const { body } = await start(place, config, { tools: [toolOf('mine')], approve: 'always' });
    expect([body.status, body.reason, tools.calls]).toEqual(['waiting_for_approval', 'approval', []]);
    const last = (await place.events('s1')).at(-1)!;
    expect([last.event, last.data.status]).toEqual(['execution_paused', 'waiting_for_approval']);
    expect(await status(place)).toMatchObject({ status: 'waiting_for_approval', approve: 'always' });
    expect(
      body.pending_approvals.map(({ name, task_id }: { name: string; task_id: string }) => [name, task_id]),
    ).toEqual([
      ['s__a', 'c'],
      ['s__b', 'c'],
      ['mine', 'c'],
    ]);
    const [a, b, mine] = body.pending_approvals.map(({ id }: { id: string }) => id);
    const early = await bring(place, { [mine]: 'x' });
    expect([early.status, early.body.message]).toEqual([400, expect.stringContaining('approved first')]);
    // Nobody has said anything: it goes on waiting.
    expect((await resume(place)).body.pending_approvals).toEqual(body.pending_approvals);
    // Several people at once, each about another call.
    const partly = await Promise.all([decide(place, a, true), decide(place, b, false, { note: 'too dear' })]);
    expect(partly.map((one) => [one.status, one.body.status])).toEqual([
      [200, 'waiting_for_approval'],
      [200, 'waiting_for_approval'],
    ]);
    expect(tools.calls).toEqual([]);
    expect((await status(place)).pending_approvals.map(({ id }: { id: string }) => id)).toEqual([mine]);
    const approved = await decide(place, mine, true);
    expect([approved.body.status, approved.body.pending_tool_calls.length]).toEqual(['waiting_for_tools', 1]);
    const twice = await decide(place, mine, true);
    expect([twice.status, twice.body.message]).toEqual([409, `The call "${mine}" has already been answered.`]);
    expect((await bring(place, { [mine]: 'of mine' })).body.status).toBe('completed');
    expect(tools.calls.map(({ name }) => name)).toEqual(['s__a']);
    const asked = place.asked.findLast((one) => taskOf(one) === 'c')!;
    expect(heard(asked).toSorted()).toEqual([
      'The user refused this call, and it was not made. They say: too dear',
      'of mine',
      's__a did it',
    ]);
  });

  test('resuming from before a completed call does not repeat the call', async () => {
    const tools = scriptedTools({ s__a: { askFirst: true } });
    const place = await begin(uses('s__a'), tools);
    const { body } = await start(place, { connected_tools: true });
    const [{ id }] = body.pending_approvals;
    let down = true;
    const script = place.script;
    place.script = (asked) => (down && asked.purpose === 'judge' ? new TypeError('broken') : script(asked));
    expect((await decide(place, id, true)).body.status).toBe('failed');
    down = false;
    const waits = await resume(place, {}, body.checkpoint_id);
    expect(waits.body).toMatchObject({ status: 'waiting_for_approval', pending_approvals: body.pending_approvals });
    const back = await decide(place, id, true);
    expect([back.body.status, tools.calls.length]).toEqual(['completed', 1]);
    expect(back.body.result).toBe('heard: s__a did it');
  });

  test('`never` asks for no approval, `marked` only for tools marked by the operator', async () => {
    const tools = scriptedTools({ s__a: { askFirst: true }, s__b: {} });
    const script = callingScript({
      c: [
        ['s__a', '{}'],
        ['s__b', '{}'],
      ],
    });
    const place = await begin(script, tools);
    expect((await start(place, { connected_tools: true }, { approve: 'never' })).body.status).toBe('completed');
    expect(tools.calls.map(({ name }) => name)).toEqual(['s__a', 's__b']);
    const { body } = await start(place, { connected_tools: true });
    expect(body.pending_approvals.map(({ name }: { name: string }) => name)).toEqual(['s__a']);
    expect((await status(place)).approve).toBe('marked');
    // What was asked already stays asked; what comes after is not.
    expect((await resume(place, { approve: 'never' })).body.status).toBe('waiting_for_approval');
    expect((await status(place)).approve).toBe('never');
  });

  test('of eighty concurrent approvals one is accepted, and the call is made once', async () => {
    const tools = scriptedTools({ s__a: { askFirst: true } });
    const place = await begin(uses('s__a'), tools);
    const { body } = await start(place, { connected_tools: true });
    const [{ id }] = body.pending_approvals;
    const answers = await Promise.all(Array.from({ length: 80 }, () => decide(place, id, true)));
    expect(answers.filter((one) => one.status === 200).map((one) => one.body.status)).toEqual(['completed']);
    const refused = answers.filter((one) => one.status === 409);
    expect(refused).toHaveLength(79);
    expect(new Set(refused.map((one) => one.body.message))).toEqual(
      new Set([`The call "${id}" has already been answered.`]),
    );
    expect(tools.calls).toHaveLength(1);
    expect((await decide(place, id, false)).status).toBe(409);
    for (const strange of ['call_x%', '\ud800', '😀']) {
      const unknown = await decide(place, strange, true);
      expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('tool_call_id')]);
    }
    expect((await place.call('POST', '/nobody/approve', { tool_call_id: id, approved: true })).status).toBe(404);
    expect((await place.call('POST', '/s1/approve', { tool_call_id: id, approved: true }, 2)).status).toBe(404);
  });

  test('a concurrent approval and cancellation end in exactly one of them', async () => {
    const tools = scriptedTools({ s__a: { askFirst: true } });
    const place = await begin(uses('s__a'), tools);
    const { body } = await start(place, { connected_tools: true });
    const [{ id }] = body.pending_approvals;
    const cancel = () => place.call('POST', '/cancel', { session_id: 's1' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? decide(place, id, true) : cancel())),
    );
    for (const { status: code } of answers) expect([200, 409]).toContain(code);
    expect(['cancelled', 'completed']).toContain((await status(place)).status);
    expect(tools.calls.length).toBeLessThanOrEqual(1);
  });
});
