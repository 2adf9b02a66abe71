import { afterEach, describe, expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../lib/clock.ts';
import type { ConnectedTools } from '../../lib/connected-tools.ts';
import { until } from '../../lib/until.fixture.ts';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import type { Deps } from '../ports.ts';
import { bigGoal, engines, never, openPlace, type Place, type Script, taskOf } from './autonomous.fixture.ts';
import { toolLimitMs } from './call-tool.ts';
import { callingScript, heard, scriptedTools, toolOf } from './run-tools.fixture.ts';

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
  const resume = async (place: Place, brought: object, checkpoint_id?: string) =>
    place.call('POST', '/resume', {
      ...{ session_id: 's1', checkpoint_id: checkpoint_id ?? (await status(place)).checkpoint_id },
      ...{ stream_events: false, ...brought },
    });
  /** What the task was told of its call. */
  const told = (place: Place): string | undefined => place.asked.filter((one) => taskOf(one) === 'c').flatMap(heard)[0];

  test('are called for the user, and only those that the run names', async () => {
    const tools = scriptedTools({ s__a: {}, s__b: {} });
    const place = await begin(uses('s__b'), tools);
    expect((await start(place, { connected_tools: ['s__a'] })).body.status).toBe('completed');
    expect([tools.calls, told(place)]).toEqual([[], 'There is no tool called "s__b".']);
    place.asked.length = 0;
    expect((await start(place, { connected_tools: ['s__b'] })).body.result).toBe('heard: s__b did it');
    expect(tools.calls).toEqual([{ userId: 1, name: 's__b', args: { n: 1 } }]);
    const events = (await place.events('s1')).map(({ event }) => event);
    expect(events.filter((event) => event.startsWith('tool_call'))).toEqual([
      'tool_call_started',
      'tool_call_finished',
    ]);
  });

  test('a tool that fails, sends megabytes or is called with nonsense is told to the model as such', async () => {
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

  test('a tool that hangs is left after its time, whether it heeds the signal or not', async () => {
    const clock = manualClock(Date.now());
    const tools = scriptedTools({ s__a: {} }, () => never());
    const place = await begin(uses('s__a'), tools, { clock });
    await start(place, { connected_tools: true, max_time_secs: 86_400 }, { stream_events: true });
    await until('it is called', () => tools.calls.length === 1);
    clock.advance(toolLimitMs);
    expect((await place.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect(told(place)).toMatch(/did not answer within 300 seconds/);
  });

  test('tools that cannot be listed make the run wait for them', async () => {
    const tools = scriptedTools({ s__a: {} });
    const place = await begin(uses('s__a'), { ...tools, list: () => Promise.reject(new Error('down')) });
    expect((await start(place, { connected_tools: true })).body.reason).toBe('tools_unavailable');
    expect((await start(place, { connected_tools: ['s__a'] })).status).toBe(503);
  });

  test('a call that was under way when its process died is not made again, and the model is told so', async () => {
    const tools = scriptedTools({ s__a: {} }, () => never());
    const first = await begin(uses('s__a'), tools, {}, 1e8);
    await start(first, { connected_tools: true }, { stream_events: true });
    await until('it is called', () => tools.calls.length === 1);
    const second = await begin(uses('s__a'), tools);
    await second.beats(deadAfterMs + beatMs);
    expect((await second.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect([tools.calls.length, told(second)]).toEqual([1, expect.stringMatching(/^It is not known whether/)]);
  });

  test('asked first: nothing is called before somebody approves, a refusal is told with its note', async () => {
    const tools = scriptedTools({ s__a: { askFirst: true }, s__b: {} });
    const script = callingScript({
      c: [
        ['s__a', '{"n":1}'],
        ['s__b', '{"n":2}'],
        ['mine', '{}'],
      ],
    });
    const place = await begin(script, tools, { clock: systemClock });
    const config = { connected_tools: true, ask_first: ['s__b', 'mine'] };
    const { body } = await start(place, config, { tools: [toolOf('mine')] });
    expect([body.status, body.reason, tools.calls]).toEqual(['paused', 'approval', []]);
    expect(
      body.pending_approvals.map(({ name, task_id }: { name: string; task_id: string }) => [name, task_id]),
    ).toEqual([
      ['s__a', 'c'],
      ['s__b', 'c'],
      ['mine', 'c'],
    ]);
    const [a, b, mine] = body.pending_approvals.map(({ id }: { id: string }) => id);
    expect((await resume(place, { tool_outputs: [{ tool_call_id: a, output: 'x' }] })).status).toBe(400);
    // Nobody has said anything: it goes on waiting.
    expect((await resume(place, {})).body.pending_approvals).toEqual(body.pending_approvals);
    const partly = await resume(place, {
      approvals: [
        { id: a, approve: true },
        { id: b, approve: false, note: 'too dear' },
      ],
    });
    expect([partly.body.reason, tools.calls]).toEqual(['approval', []]);
    const approved = await resume(place, { approvals: [{ id: mine, approve: true }] });
    expect([approved.body.reason, approved.body.pending_tool_calls.length]).toEqual(['tool_calls', 1]);
    const before = (await status(place)).checkpoint_id;
    const outputs = { tool_outputs: [{ tool_call_id: mine, output: 'of mine' }] };
    expect((await resume(place, outputs)).body.status).toBe('completed');
    expect(tools.calls.map(({ name }) => name)).toEqual(['s__a']);
    expect(before).toStartWith('ckpt-');
    const last = place.asked.findLast((one) => taskOf(one) === 'c')!;
    expect(heard(last).toSorted()).toEqual([
      'The user refused this call, and it was not made. They say: too dear',
      'of mine',
      's__a did it',
    ]);
  });

  test('whoever goes back behind a call that was made does not make it twice', async () => {
    const tools = scriptedTools({ s__a: { askFirst: true } });
    const place = await begin(uses('s__a'), tools);
    const { body } = await start(place, { connected_tools: true });
    const [{ id }] = body.pending_approvals;
    let down = true;
    const script = place.script;
    place.script = (asked) => (down && asked.purpose === 'judge' ? new TypeError('broken') : script(asked));
    expect((await resume(place, { approvals: [{ id, approve: true }] })).body.status).toBe('failed');
    down = false;
    const back = await resume(place, { approvals: [{ id, approve: true }] }, body.checkpoint_id);
    expect([back.body.status, tools.calls.length]).toEqual(['completed', 1]);
    expect(back.body.result).toBe('heard: s__a did it');
  });
});
