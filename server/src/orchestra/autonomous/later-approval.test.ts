import { afterEach, describe, expect, test } from 'bun:test';
import type { OpenDb } from '../../platform/db/open.ts';
import { bigGoal, engines, openPlace, type Place, taskOf } from './autonomous.fixture.ts';
import { callingScript, decide, scriptedTools } from './run-tools.fixture.ts';

describe.each(await engines())('a call that is not made yet, on %s', (_name, open) => {
  let database: OpenDb;
  let place: Place;
  afterEach(async () => {
    await place.close();
    await database.close();
  });

  /** A run that has reached its maximum cost with the answer that calls a tool. */
  const paused = async () => {
    const tools = scriptedTools({ s__a: {} });
    const calls = callingScript({ c: [['s__a', '{}']] });
    database = await open();
    place = await openPlace(
      database,
      async (asked) => {
        const said = await calls(asked);
        return taskOf(asked) === 'c' && typeof said !== 'string' ? { ...(said as object), cost: 5000 } : said;
      },
      { deps: { connectedTools: tools } },
    );
    const { body } = await place.call('POST', '/execute', {
      ...{ message: bigGoal, session_id: 's1', stream_events: false },
      ...{ config: { connected_tools: true }, max_cost: 0.01 },
    });
    expect([body.reason, tools.calls]).toEqual(['max_cost', []]);
    const resume = (given: object) =>
      place.call('POST', '/resume', {
        ...{ session_id: 's1', checkpoint_id: body.checkpoint_id, stream_events: false, max_cost: 1 },
        ...given,
      });
    return { tools, resume };
  };

  test.each([
    ['the user wants to approve all calls', { approve: 'always' }, false],
    ['the operator has marked the tool', {}, true],
  ])('is asked for first where %s since', async (_what, given, marked) => {
    const { tools, resume } = await paused();
    tools.tools[0]!.askFirst = marked;
    const { body } = await resume(given);
    expect([body.status, body.reason, tools.calls]).toEqual(['waiting_for_approval', 'approval', []]);
    const [{ id, name }] = body.pending_approvals;
    expect(name).toBe('s__a');
    const asked = (await place.events('s1')).filter(({ event }) => event === 'approval_requested');
    expect(asked.map(({ data }) => data.tool_call_id)).toEqual([id]);
    expect((await decide(place, id, true)).body).toMatchObject({ status: 'completed', result: 'heard: s__a did it' });
    expect(tools.calls).toHaveLength(1);
  });

  test('is made where nothing has changed', async () => {
    const { tools, resume } = await paused();
    expect((await resume({})).body.result).toBe('heard: s__a did it');
    expect(tools.calls).toHaveLength(1);
  });
});
