import { afterEach, describe, expect, test } from 'bun:test';
import type { OpenDb } from '../../platform/db/open.ts';
import { beatMs, deadAfterMs } from '../../platform/durable/owners.ts';
import type { Deps } from '../ports.ts';
import { exportOf } from '../store/account-data.ts';
import { bigGoal, engines, openPlace, type Place, type Script, taskOf } from './autonomous.fixture.ts';
import { bring, calling, callingScript, decide, heard, scriptedTools, toolOf } from './run-tools.fixture.ts';
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

  test('the run waits for tool outputs, and the task continues with exactly that conversation', async () => {
    const place = await begin(
      callingScript({
        c: [
          ['look_up', '{"city":"Paris"}'],
          ['weigh', '{}'],
        ],
      }),
    );
    const { body } = await start(place, ['look_up', 'weigh']);
    expect(body).toMatchObject({ status: 'waiting_for_tools', reason: 'tool_calls', remaining: ['Title c'] });
    const [first, second] = body.pending_tool_calls;
    expect([first.name, first.arguments, first.task_id, second.name]).toEqual([
      ...['look_up', '{"city":"Paris"}', 'c'],
      'weigh',
    ]);
    expect((await status(place)).pending_tool_calls).toEqual(body.pending_tool_calls);
    const told = (await place.events('s1')).at(-1)!;
    expect([told.event, told.data.reason, told.data.status]).toEqual([
      ...['execution_paused', 'tool_calls', 'waiting_for_tools'],
    ]);
    const listed = async (named: string) => (await place.call('GET', `?status=${named}`)).body.data.total;
    expect([await listed('waiting_for_tools'), await listed('waiting_for_approval'), await listed('paused')]).toEqual([
      ...[1, 0, 0],
    ]);
    expect(told.data.pending_tool_calls).toEqual(body.pending_tool_calls);

    const repeated = [first, first].map(({ id }) => ({ tool_call_id: id, content: '1' }));
    const faults: [Promise<{ status: number; body: { message: string } }>, string][] = [
      [bring(place, { [first.id]: '1', call_x: '1' }), 'call_x'],
      [place.call('POST', '/s1/tool-results', { results: repeated }), first.id],
      [decide(place, first.id, true), first.id],
      [bring(place, {}), 'results'],
    ];
    for (const [asked, named] of faults) {
      const refused = await asked;
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(named)]);
    }
    const partly = await bring(place, { [first.id]: 'x'.repeat(70_000) });
    expect([partly.status, partly.body.status]).toEqual([200, 'waiting_for_tools']);
    expect(partly.body.pending_tool_calls).toEqual([second]);
    const again = await bring(place, { [first.id]: 'again' });
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining(first.id)]);
    expect((await bring(place, { [second.id]: '2 kg' })).body.status).toBe('completed');
    expect((await bring(place, { [second.id]: '2 kg' })).status).toBe(409);
    const events = await place.events('s1');
    const callsIn = (name: string) =>
      events.filter(({ event }) => event === name).map(({ data }) => [data.tool_call_id, data.name, data.task_id]);
    expect(callsIn('tool_call_started')).toHaveLength(2);
    expect(callsIn('tool_call_finished')).toEqual(callsIn('tool_call_started'));

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

  test('outputs survive a crash after they were received', async () => {
    const script = callingScript({ c: [['look_up', '{}']] });
    const first = await begin(script, {}, 1e8);
    const { body } = await start(first, ['look_up']);
    const [call] = body.pending_tool_calls;
    let reached = false;
    first.script = (asked) => {
      reached ||= taskOf(asked) === 'c';
      return taskOf(asked) === 'c' ? new Promise(() => {}) : script(asked);
    };
    await bring(first, { [call.id]: 'found' }, { stream_events: true });
    while (!reached) await Bun.sleep(10);
    const second = await begin(script);
    await second.beats(deadAfterMs + beatMs);
    expect((await second.events('s1')).at(-1)!.event).toBe('execution_completed');
    expect((await status(second)).result).toBe('heard: found');
  });

  test('a model that keeps calling tools is asked to answer without them', async () => {
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

  test('invalid tools are rejected by name', async () => {
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
    expect(await refused({ config: { ask_first: ['a'] } })).toEqual([400, expect.stringContaining('ask_first')]);
    expect(await refused({ approve: 'sometimes' })).toEqual([400, expect.stringContaining('approve')]);
    expect(await refused({ config: { connected_tools: ['s__x'] } })).toEqual([400, expect.stringContaining('s__x')]);
  });

  test('a waiting run uses no place and no lease', async () => {
    const place = await begin(callingScript({ c: [['look_up', '{}']] }), { parallelRuns: () => 1 });
    const { body } = await start(place, ['look_up']);
    expect(body.status).toBe('waiting_for_tools');
    const row = await database.db.selectFrom('ms_runs').select(['owner', 'status']).executeTakeFirstOrThrow();
    expect(row).toEqual({ owner: null, status: 'waiting_for_tools' });
    expect(await place.autonomous.adopt()).toBe(0);
    const exported = (await Array.fromAsync(exportOf(database.db, 1).runs!)).flat();
    expect(exported).toMatchObject([{ status: 'waiting_for_tools', tools: JSON.stringify([toolOf('look_up')]) }]);
    const steps = (await Array.fromAsync(exportOf(database.db, 1).run_steps!)).flat() as { result: string }[];
    for (const words of ['result of a', 'look_up'])
      expect(steps.some(({ result }) => result.includes(words))).toBe(true);
    expect((await Array.fromAsync(exportOf(database.db, 2).run_steps!)).flat()).toEqual([]);
    const other = { message: question, session_id: 's2', stream_events: false };
    expect((await place.call('POST', '/execute', other)).body.status).toBe('completed');
  });

  test('a waiting run can be cancelled, and accepts no outputs until it is resumed from its checkpoint', async () => {
    const place = await begin(callingScript({ c: [['look_up', '{}']] }));
    const { body } = await start(place, ['look_up']);
    const [{ id }] = body.pending_tool_calls;
    const cancel = () => place.call('POST', '/cancel', { session_id: 's1', reason: 'enough' });
    const cancelled = await cancel();
    expect(cancelled.body.data).toMatchObject({
      ...{ status: 'cancelled', reason: 'enough', checkpoint_id: body.checkpoint_id },
    });
    expect((await cancel()).body).toEqual(cancelled.body);
    const told = await place.events('s1');
    expect(told.slice(-2).map(({ data }) => data.status)).toEqual(['waiting_for_tools', 'cancelled']);
    const late = await bring(place, { [id]: 'found' });
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('cancelled')]);
    const again = { session_id: 's1', checkpoint_id: body.checkpoint_id, stream_events: false };
    expect((await place.call('POST', '/resume', again)).body).toMatchObject({
      ...{ status: 'waiting_for_tools', pending_tool_calls: body.pending_tool_calls },
    });
    expect((await bring(place, { [id]: 'found' })).body.result).toBe('heard: found');
  });

  test('only the run resumed last accepts outputs, and none while another runs in its session', async () => {
    const script = callingScript({ c: [['look_up', '{}']] });
    const place = await begin(script);
    const { body } = await start(place, ['look_up']);
    const [{ id }] = body.pending_tool_calls;
    expect((await start(place, [], {}, question)).body.status).toBe('completed');
    expect((await bring(place, { [id]: 'found' })).status).toBe(400);
    const again = { session_id: 's1', checkpoint_id: body.checkpoint_id, stream_events: false };
    place.script = () => new Promise(() => {});
    await place.execute(question, {}, { session_id: 's1' });
    expect((await place.call('POST', '/resume', again)).status).toBe(409);
    await place.call('POST', '/cancel', { session_id: 's1' });
    place.script = script;
    expect((await place.call('POST', '/resume', again)).body.execution_id).toBe(body.execution_id);
    expect((await status(place)).pending_tool_calls).toEqual(body.pending_tool_calls);
    expect((await bring(place, { [id]: 'found' })).body.result).toBe('heard: found');
  });
});
