import { describe, expect, test } from 'bun:test';
import { addUser, engines, openTestBilling } from '../../billing/engines.fixture.ts';
import { manualClock, systemClock } from '../../lib/clock.ts';
import { until } from '../../lib/until.fixture.ts';
import { savePreferences } from '../store/preferences.ts';
import { bigGoal, openPlace, planOf, type Script } from './autonomous.fixture.ts';
import { callingScript, scriptedTools } from './run-tools.fixture.ts';
import { servedBy } from './timeline.ts';
import type { Entry, Sums, TaskSum } from './timeline-views.ts';

const price = 10;
const plan = planOf({ id: 't1' }, { id: 't2', needs: ['t1'] });
const using = callingScript({ t1: [['s__send', '{"to":"all"}']], t2: [['s__read', '{}']] });
const script: Script = (asked) => (asked.purpose === 'plan' ? plan : using(asked));

interface Page {
  parent_request_id: string;
  entries: Entry[];
  sums: Sums | null;
  next_cursor: string | null;
}

describe.each(engines.map(({ name, open }) => [name, open] as const))('on %s', (_name, open) => {
  test('a timeline has every call with its cost, and its pages add up to the whole', async () => {
    const database = await open();
    const billing = await openTestBilling(database, systemClock, manualClock());
    const userId = await addUser(database.db, 1_000_000);
    await savePreferences(database.db, userId, { enable_embedding: false }, 0);
    const tools = scriptedTools({ s__send: { askFirst: true }, s__read: {} }, async () => ({
      text: 'sent to all',
      isError: false,
      cut: false,
    }));
    const paid: Script = async (asked) => {
      const who = { requestId: asked.requestId!, userId, keyId: null, keyUnlimited: true, modelId: asked.model };
      const hold = await billing.hold({ ...who, amount: 100 });
      const said = await script(asked);
      const usage = { promptTokens: 10, completionTokens: 5 };
      const { parentRequestId } = asked;
      await billing.settle(hold, { cost: price, usage, endpoint: '/v1/chat/completions', parentRequestId });
      const message = { role: 'assistant' as const, content: `${said}` };
      return typeof said === 'string' ? { message, cost: price } : { ...(said as object), cost: price };
    };
    const place = await openPlace(database, paid, { deps: { connectedTools: tools } });
    const more = { session_id: 's1', stream_events: false };
    const { execution_id } = await place.execute(bigGoal, { connected_tools: true }, more);
    const get = async (query = '', user = 1) => place.call('GET', `/s1/timeline${query}`, undefined, user);
    const page = async (query = ''): Promise<Page> => (await get(query)).body.data;
    const asks = (await page()).entries.find(({ kind }) => kind === 'approval');
    expect(asks).toMatchObject({ what: 's__send', task_id: 't1', detail: '{"to":"all"}', status: 'open' });
    expect((await page()).entries[0]).toMatchObject({
      kind: 'pause',
      what: 'approval',
      status: 'waiting_for_approval',
    });
    const [{ id }] = (await place.call('GET', '/s1/status')).body.pending_approvals;
    await place.call('POST', '/s1/approve', { tool_call_id: id, approved: true, stream_events: false });
    const calls = place.asked.length;
    await until('all is logged', async () => (await page('?page_size=100')).sums?.run.calls === calls);

    const { entries, sums, next_cursor, parent_request_id } = await page('?page_size=100');
    expect([parent_request_id, next_cursor]).toEqual([execution_id, null]);
    const asked = entries.filter(({ kind }) => kind === 'model_call');
    expect(asked.map(({ request_id }) => request_id).toSorted()).toEqual(
      place.asked.map(({ requestId }) => requestId!).toSorted(),
    );
    const { body: status } = await place.call('GET', '/s1/status');
    expect(status).toMatchObject({ status: 'completed', total_cost: calls * price });
    expect(sums).toMatchObject({ run: { quota: status.total_cost, cost: status.cost }, complete: true });
    const added = sums!.tasks.reduce((sum, { quota }) => sum + quota, 0);
    expect(added).toBe(status.total_cost);
    const ofTask = (id: string | null): TaskSum | undefined => sums!.tasks.find(({ task_id }) => task_id === id);
    // A tool is called in between; each is evaluated once.
    expect([ofTask('t1')?.calls, ofTask('t2')?.calls]).toEqual([3, 3]);
    const done = { output: 'sent to all', status: 'ended' };
    expect(entries.find(({ kind }) => kind === 'approval')).toMatchObject({ what: 's__send', task_id: 't1', ...done });
    expect(entries.find(({ kind }) => kind === 'tool_call')).toMatchObject({ what: 's__read', task_id: 't2', ...done });
    expect(entries.map(({ kind }) => kind)).toContain('start');
    expect(entries.find(({ kind }) => kind === 'end')).toMatchObject({ what: 'completed' });
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => b - a));

    const paged: Entry[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const one: Page = await page(`?page_size=3${cursor && `&cursor=${cursor}`}`);
      expect(one.sums === null).toBe(cursor !== '');
      paged.push(...one.entries);
      cursor = one.next_cursor;
    }
    expect(paged).toEqual(entries);
    expect((await get('', 2)).status).toBe(404);
    expect((await get('?cursor=nonsense')).status).toBe(400);

    await place.close();
    await billing.stop();
    await database.drop();
  });
});

test('a request id shows what a model was asked for', () => {
  expect(servedBy('exec-1', 'exec-1:1.task:a b:2:1:3')).toEqual({ what: 'task', task_id: 'a b' });
  expect(servedBy('exec-1', 'exec-1:1.eval:t1:2:1:3:1')).toEqual({ what: 'evaluation', task_id: 't1' });
  expect(servedBy('exec-1', 'exec-1:12.judge:2:10:3')).toEqual({ what: 'judge', task_id: null });
  expect(servedBy('exec-1', 'req_x')).toEqual({ what: 'memory', task_id: null });
});
