import { afterEach, describe, expect, test } from 'bun:test';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import type { Deps } from '../ports.ts';
import { bigGoal, engines, openPlace, type Place, type Script, taskOf } from './autonomous.fixture.ts';
import { calling, callingScript, heard, scriptedTools, toolOf } from './run-tools.fixture.ts';
import { mostRounds } from './steps-talk.ts';

const question = 'What is the capital of France?';

describe.each(await engines())("the caller's tools, on %s", (_name, open) => {
  let database: OpenDb;
  const places: Place[] = [];
  const begin = async (script: Script, deps: Partial<Deps> = {}, guardMs?: number) => {
    database = places.length === 0 ? await open() : database;
    const place = await openPlace(database, script, { deps, ...(guardMs && { guardMs }) });
    places.push(place);
    return place;
  };
  afterEach(async () => {
    for (const place of places.splice(0)) await place.close();
    await database.close();
  });
  const start = (place: Place, tools: string[], config = {}, message = bigGoal) =>
    place.call('POST', '/execute', {
      ...{ message, config, session_id: 's1', stream_events: false },
      tools: tools.map(toolOf),
    });
  const status = async (place: Place) => (await place.call('GET', '/s1/status')).body;
  const resume = async (place: Place, brought: object, checkpoint_id?: string) =>
    place.call('POST', '/resume', {
      ...{ session_id: 's1', checkpoint_id: checkpoint_id ?? (await status(place)).checkpoint_id },
      ...{ stream_events: false, ...brought },
    });

  test('the run waits for what came of a call, and the task goes on with exactly that conversation', async () => {
    const place = await begin(
      callingScript({
        c: [
          ['look_up', '{"city":"Paris"}'],
          ['weigh', '{}'],
        ],
      }),
    );
    const { body } = await start(place, ['look_up', 'weigh']);
    expect(body).toMatchObject({ status: 'paused', reason: 'tool_calls', remaining: ['Title c'] });
    const [first, second] = body.pending_tool_calls;
    expect([first.name, first.arguments, first.task_id, second.name]).toEqual([
      ...['look_up', '{"city":"Paris"}', 'c'],
      'weigh',
    ]);
    expect((await status(place)).pending_tool_calls).toEqual(body.pending_tool_calls);
    const told = (await place.events('s1')).at(-1)!;
    expect([told.event, told.data.reason]).toEqual(['execution_paused', 'tool_calls']);
    expect(told.data.pending_tool_calls).toEqual(body.pending_tool_calls);

    const faults: [object, string][] = [
      [{ tool_outputs: [{ tool_call_id: 'call_x', output: '1' }] }, 'call_x'],
      [{ tool_outputs: [first, first].map(({ id }) => ({ tool_call_id: id, output: '1' })) }, first.id],
      [{ approvals: [{ id: first.id, approve: true }] }, first.id],
    ];
    for (const [brought, named] of faults) {
      const refused = await resume(place, brought);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(named)]);
    }
    const checkpoint = (await status(place)).checkpoint_id;
    const partly = await resume(place, { tool_outputs: [{ tool_call_id: first.id, output: 'x'.repeat(70_000) }] });
    expect([partly.status, partly.body.status, partly.body.reason]).toEqual([200, 'paused', 'tool_calls']);
    expect(partly.body.pending_tool_calls).toEqual([second]);
    expect((await resume(place, { tool_outputs: [{ tool_call_id: first.id, output: 'again' }] })).status).toBe(400);
    const rest = { tool_outputs: [{ tool_call_id: second.id, output: '2 kg' }] };
    expect((await resume(place, rest, checkpoint)).body.status).toBe('completed');

    const asked = place.asked.filter((one) => taskOf(one) === 'c');
    expect(asked.map(({ messages }) => messages.length)).toEqual([1, 4]);
    expect(asked[1]!.messages[0]).toEqual(asked[0]!.messages[0]!);
    expect(asked[1]!.messages[1]!.tool_calls!.map(({ id }) => id)).toEqual([first.id, second.id]);
    const [long, short] = heard(asked[1]!);
    expect([long!.startsWith('x'.repeat(65_536)), long!.includes('cut'), long!.length < 65_700]).toEqual([
      ...[true, true, true],
    ]);
    expect(short).toBe('2 kg');
    expect(asked[1]!.model).toBe(asked[0]!.model);
    expect((asked[0]!.tools as { function: { name: string } }[]).map((one) => one.function.name)).toEqual([
      ...['look_up', 'weigh'],
    ]);
    expect(new Set(place.asked.map(({ requestId }) => requestId)).size).toBe(place.asked.length);
    expect(place.asked.filter((one) => taskOf(one) === 'a')).toHaveLength(1);
  });

  test('a process that dies after the outputs came loses nothing of them', async () => {
    const script = callingScript({ c: [['look_up', '{}']] });
    const first = await begin(script, {}, 1e8);
    const { body } = await start(first, ['look_up']);
    const [call] = body.pending_tool_calls;
    let reached = false;
    first.script = (asked) => {
      reached ||= taskOf(asked) === 'c';
      return taskOf(asked) === 'c' ? new Promise(() => {}) : script(asked);
    };
    await resume(first, { stream_events: true, tool_outputs: [{ tool_call_id: call.id, output: 'found' }] });
    while (!reached) await Bun.sleep(10);
    const second = await begin(script);
    await second.beats(deadAfterMs + beatMs);
    expect((await second.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect((await status(second)).result).toBe('heard: found');
  });

  test('a model that never stops calling is asked to answer without tools', async () => {
    const tools = scriptedTools({ s__go: {} });
    const place = await begin(
      (asked) => (asked.purpose !== 'direct' ? callingScript({})(asked) : asked.params.tool_choice ? 'done' : again()),
      { connectedTools: tools },
    );
    const again = () => calling(['s__go', '{}']);
    const { body } = await start(place, [], { connected_tools: true }, question);
    expect([body.status, body.result]).toEqual(['completed', 'done']);
    expect(tools.calls).toHaveLength(mostRounds);
    const last = place.asked.findLast(({ purpose }) => purpose === 'direct')!;
    expect([last.params.tool_choice, last.tools!.length]).toEqual(['none', 1]);
  });

  test('tools that cannot be are refused by name', async () => {
    const place = await begin(callingScript({}));
    const refused = async (body: object) => {
      const { status: code, body: said } = await place.call('POST', '/execute', { message: question, ...body });
      return [code, said.message];
    };
    expect(await refused({ tools: [toolOf('a'), toolOf('a')] })).toEqual([400, expect.stringContaining('"a"')]);
    expect(await refused({ tools: [toolOf('a b')] })).toEqual([400, expect.stringContaining('tools.0.function.name')]);
    expect(await refused({ tools: Array.from({ length: 129 }, (_, i) => toolOf(`t${i}`)) })).toEqual([
      ...[400, expect.stringContaining('tools')],
    ]);
    expect(await refused({ config: { ask_first: ['nowhere'] } })).toEqual([400, expect.stringContaining('nowhere')]);
    expect(await refused({ config: { connected_tools: ['s__x'] } })).toEqual([400, expect.stringContaining('s__x')]);
  });

  test('a run that waits holds no place and no lease', async () => {
    const place = await begin(callingScript({ c: [['look_up', '{}']] }), { parallelRuns: () => 1 });
    const { body } = await start(place, ['look_up']);
    expect(body.status).toBe('paused');
    const row = await database.db.selectFrom('ms_runs').select(['owner', 'status']).executeTakeFirstOrThrow();
    expect(row).toEqual({ owner: null, status: 'paused' });
    expect(await place.autonomous.adopt()).toBe(0);
    const other = { message: question, session_id: 's2', stream_events: false };
    expect((await place.call('POST', '/execute', other)).body.status).toBe('completed');
  });
});
