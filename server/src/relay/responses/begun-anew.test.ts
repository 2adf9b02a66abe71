/** Work in the background whose process could not say for a while that it lives, and that begins anew. */
import { expect, test } from 'bun:test';
import { addKey, addUser, engines, openTestBilling } from '../../billing/engines.fixture.ts';
import { addBudgets, TestLevels, windowOf } from '../../billing/levels.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { callOf } from './background.ts';
import { newId } from './items.ts';
import { openProcess, queuedOf, responseOf, said } from './responses.fixture.ts';
import { readResponse } from './store/background.ts';

const price = 100;
const settlement = { cost: price, usage: { promptTokens: 1, completionTokens: 1 }, endpoint: '/v1/responses' };

const ways = [
  // Whoever is told to stop lets go of an upstream first, and of the money then.
  { way: 'releases its hold', paidBy: 2 },
  { way: 'has its answer and is charged', paidBy: 1 },
];
const cases = engines.flatMap((engine) => ways.map((way) => ({ ...way, engine, name: engine.name })));

test.each(cases)(
  'a retry is not blocked by its own earlier attempt, which $way ($name)',
  async ({ engine, paidBy }) => {
    const open = await engine.open();
    const billing = await openTestBilling(open);
    const levels = new TestLevels();
    billing.acceptLevels(levels);
    const userId = await addUser(open.db, 10 * price);
    const keyId = await addKey(open.db, userId, 0, true);
    const budgets = await addBudgets(open.db, [price]);
    levels.places.set(keyId, { payerId: userId, budgets });

    const begun: string[] = [];
    const here = await openProcess(open, engine, async (_, __, { id, requestId, signal }) => {
      begun.push(requestId);
      const hold = await billing.hold({ requestId, userId, keyId, keyUnlimited: true, amount: price, modelId: 'm' });
      if (begun.length === 1) {
        await until('it is told to stop', () => signal.aborted);
        await Bun.sleep(300);
      }
      if (begun.length < paidBy) {
        await billing.release(hold);
        signal.throwIfAborted();
      }
      const answer = responseOf(newId('resp'), [said(newId('msg'), requestId)]);
      await billing.settle(hold, { ...settlement, keep: { ...callOf(id), body: JSON.stringify(answer) } });
      return answer;
    });
    // Whoever opens a SQLite file takes all before them for dead: this one says that it lives before it holds anything.
    await billing.owners.look();
    const id = newId('resp');
    await here.kept.keeper.enqueue({ userId, keyId }, queuedOf(id, 'question'));
    await here.start();
    await until('it has put its money aside', () => billing.heldBy(userId) === price);
    await here.fallSilent();
    await until('it has ended', async () => (await readResponse(open.db, id))!.ended_at !== null);
    const row = (await readResponse(open.db, id))!;
    expect([row.status, JSON.parse(row.response).error]).toEqual(['completed', undefined]);
    expect(begun).toHaveLength(paidBy);
    expect(await windowOf(open.db, budgets[0]!.windowId)).toEqual({ left: 0, used: price });
    await here.close();
    await billing.stop();
    await open.drop();
  },
);
