import { describe, expect, test } from 'bun:test';
import { addUser, engines, openTestBilling } from '../../billing/engines.fixture.ts';
import { catchUp } from '../../billing/store/filing.ts';
import { manualClock, systemClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { savePreferences } from '../store/preferences.ts';
import { bigGoal, never, openPlace, type Place, planOf, type Script, taskOf } from './autonomous.fixture.ts';
import { bring, callingScript, decide, scriptedTools, toolOf } from './run-tools.fixture.ts';

/** It does not look at its runs any more, and nobody tells it anything. */
const deaf = 1e8;
const price = 10;

const twelve = planOf(
  ...[{ id: 't1' }, { id: 't2' }, { id: 't3', needs: ['t1', 't2'] }, { id: 't4', needs: ['t3'] }],
  ...[
    { id: 't5', needs: ['t4'] },
    { id: 't6', needs: ['t5'] },
    { id: 't7', needs: ['t6'] },
  ],
  ...[
    { id: 't8', needs: ['t7'] },
    { id: 't9', needs: ['t7'] },
    { id: 't10', needs: ['t8', 't9'] },
  ],
  ...[
    { id: 't11', needs: ['t10'] },
    { id: 't12', needs: ['t11'] },
  ],
);
const using = callingScript({
  t4: [['look_up', '{"q":4}']],
  t5: [['s__send', '{"to":"all"}']],
  t8: [['look_up', '{"q":8}']],
  t9: [['look_up', '{"q":9}']],
});

describe.each(engines.map(({ name, open }) => [name, open] as const))('on %s', (_name, open) => {
  test('twelve tasks with tools, an approval, two crashes and a changed plan complete, and every call is paid once', async () => {
    const database = await open();
    const { db } = database;
    const billing = await openTestBilling(database, systemClock, manualClock());
    const userId = await addUser(db, 1_000_000);
    expect(userId).toBe(1);
    await savePreferences(db, userId, { max_tasks_per_plan: 12, enable_embedding: false }, 0);
    const tools = scriptedTools({ s__send: { askFirst: true } }, () => never());
    const answered: string[] = [];
    /** Pays like the relay: put aside under the id of the call, and charged with its answer. */
    const paid =
      (script: Script): Script =>
      async (asked) => {
        const { model: modelId, parentRequestId } = asked;
        const requestId = asked.requestId!;
        const who = { requestId, userId: asked.userId, keyId: null, keyUnlimited: true, modelId };
        const hold = await billing.hold({ ...who, amount: 100 });
        const said = await script(asked);
        const usage = { promptTokens: 10, completionTokens: 5 };
        await billing.settle(hold, { cost: price, usage, endpoint: '/v1/chat/completions', parentRequestId });
        answered.push(requestId);
        const message = { role: 'assistant' as const, content: `${said}` };
        return typeof said === 'string' ? { message, cost: price } : { ...(said as object), cost: price };
      };
    const script: Script = (asked) => (asked.purpose === 'plan' ? twelve : using(asked));
    const places: Place[] = [];
    const at = async (own: Script, guardMs?: number): Promise<Place> => {
      const options = { deps: { connectedTools: tools }, ...(guardMs && { guardMs }), start: false };
      places.push(await openPlace(database, paid(own), options));
      return places.at(-1)!;
    };
    /** Whoever holds the run is dead to all others. */
    const die = async (next: Place) => {
      const { owner } = await db.selectFrom('ms_runs').select('owner').executeTakeFirstOrThrow();
      await db.deleteFrom('owners').where('id', '=', owner).execute();
      expect(await next.autonomous.adopt()).toBe(1);
    };
    const status = async () => (await places.at(-1)!.call('GET', '/s1/status')).body;
    const resume = async (brought: object) =>
      places.at(-1)!.call('POST', '/resume', {
        ...{ session_id: 's1', checkpoint_id: (await status()).checkpoint_id },
        ...{ stream_events: false, ...brought },
      });
    /** Brings what came of every call that it waits for. */
    const bringAll = async () => {
      const { pending_tool_calls } = (await status()) as { pending_tool_calls: { id: string }[] };
      return bring(places.at(-1)!, Object.fromEntries(pending_tool_calls.map(({ id }) => [id, 'found'])));
    };
    const waitsFor = async (...names: string[]) => {
      await until('it is at rest', async () => (await status()).status !== 'running');
      const { status: now, pending_tool_calls, pending_approvals } = await status();
      const waiting = [...pending_tool_calls, ...pending_approvals] as { name: string; task_id: string }[];
      expect([now, ...waiting.map(({ name, task_id }) => `${task_id} ${name}`)]).toEqual(names);
    };

    const first = await at((asked) => (taskOf(asked) === 't2' ? never() : script(asked)), deaf);
    await first.execute(
      ...[bigGoal, { connected_tools: ['s__send'] }, { session_id: 's1', tools: [toolOf('look_up')] }],
    );
    await until('t1 is done and t2 hangs', async () => {
      const { plan } = await status();
      return plan.tasks[0]?.score === 0.9 && first.asked.some((asked) => taskOf(asked) === 't2');
    });
    await die(await at(script, deaf));

    await waitsFor('waiting_for_tools', 't4 look_up');
    await bringAll();
    await waitsFor('waiting_for_approval', 't5 s__send');
    const { plan } = await status();
    plan.tasks[0].instruction = 'do t1 otherwise';
    await resume({ plan });
    await waitsFor('waiting_for_tools', 't4 look_up');
    await bringAll();
    await waitsFor('waiting_for_approval', 't5 s__send');
    const [{ id }] = (await status()).pending_approvals;
    await decide(places.at(-1)!, id, true, { stream_events: true });
    await until('the tool is called', () => tools.calls.length === 1);
    await die(await at(script));

    await waitsFor('waiting_for_tools', 't8 look_up', 't9 look_up');
    expect((await bringAll()).body).toMatchObject({
      status: 'completed',
      result: 'result of t12',
    });

    expect(tools.calls).toHaveLength(1);
    const asked = places.flatMap((place) => place.asked);
    const counts = Array.from({ length: 12 }, (_, i) => asked.filter((one) => taskOf(one) === `t${i + 1}`).length);
    expect(counts).toEqual([2, 2, 2, 4, 3, 1, 1, 2, 2, 1, 1, 1]);
    expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(asked.length);
    // One call was never answered: that of the first process that died.
    expect(answered).toHaveLength(asked.length - 1);
    const execution = (await status()).execution_id;
    const logged = async () => {
      await catchUp(db);
      const calls = db.selectFrom('usage_logs').select(['request_id', 'quota']);
      return calls.where('parent_request_id', '=', execution).execute();
    };
    await until('all is logged', async () => (await logged()).length >= answered.length);
    expect((await logged()).map(({ request_id }) => request_id).toSorted()).toEqual(answered.toSorted());
    expect((await status()).total_cost).toBe(answered.length * price);
    const told = await places.at(-1)!.events('s1');
    expect(told.map(({ id: seq }) => seq)).toEqual(told.map((_, i) => i + 1));

    for (const place of places) await place.close();
    await billing.stop();
    await database.drop();
  });
});
