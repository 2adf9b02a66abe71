import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { requestId } from '../lib/ids.ts';
import { until } from '../lib/until.fixture.ts';
import { openDb } from '../platform/db/open.ts';
import type { Billing } from './billing.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling, type TestDb } from './engines.fixture.ts';
import { addBudgets, TestLevels, windowOf } from './levels.fixture.ts';
import type { HoldRequest } from './types.ts';

const usage = { promptTokens: 1, completionTokens: 1 };
const codeOf = (trying: Promise<unknown>): Promise<string> =>
  trying.then(
    () => 'held',
    (error: { code: string }) => error.code,
  );

describe.each(engines)('budgets on $name', (engine) => {
  let open: TestDb;
  let billing: Awaited<ReturnType<typeof openTestBilling>>;
  const levels = new TestLevels();
  beforeAll(async () => {
    open = await engine.open();
    billing = await openTestBilling(open);
    billing.acceptLevels(levels);
  });
  afterAll(async () => {
    await billing.stop();
    await open.drop();
  });

  /** A user with a balance and a key under budgets of these amounts. */
  async function someone(amounts: number[], { quota = 1_000_000, shared = false } = {}) {
    const user = await addUser(open.db, quota);
    const payer = shared ? await addUser(open.db, quota) : user;
    const key = await addKey(open.db, user, 0, true);
    const budgets = await addBudgets(open.db, amounts);
    levels.places.set(key, { payerId: payer, budgets });
    const request = (amount: number, more: Partial<HoldRequest> = {}): HoldRequest => ({
      ...{ requestId: requestId(), userId: user, keyId: key, keyUnlimited: true, amount, modelId: 'm' },
      ...more,
    });
    const windows = () => Promise.all(budgets.map(({ windowId }) => windowOf(open.db, windowId)));
    return { user, payer, key, budgets, request, windows };
  }

  test('a hold is taken and charged at every level', async () => {
    const { user, key, request, windows } = await someone([500, 600, 700, 800]);
    const hold = await billing.hold(request(300));
    expect(await billing.settle(hold, { cost: 120, usage, endpoint: '/v1' })).toMatchObject({ charged: 120 });
    expect(await windows()).toEqual([
      { left: 380, used: 120 },
      { left: 480, used: 120 },
      { left: 580, used: 120 },
      { left: 680, used: 120 },
    ]);
    expect(await booksOf(open.db, user)).toMatchObject({ used: 120, held: 0, quota: 1_000_000 - 120 });
    expect((await keyOf(open.db, key)).used).toBe(120);
    expect(levels.told).toContain(key);
  });

  test.each([0, 1, 2, 3])('a shortage at level %d holds nothing anywhere', async (narrow) => {
    const amounts = [1_000, 1_000, 1_000, 1_000].with(narrow, 99);
    const { user, budgets, request, windows } = await someone(amounts);
    const refused = billing.hold(request(100));
    expect(await codeOf(refused)).toBe('budget_exceeded');
    await refused.catch((error: Error) => {
      expect(error.message).toContain(
        { key: 'API key', member: 'member', team: 'team', organisation: 'organisation' }[budgets[narrow]!.level],
      );
      expect(error.message).toContain('in total');
    });
    // The other budgets got their amounts back: all of them are available.
    expect((await windows()).map(({ left }) => left)).toEqual(amounts);
    const rest = await billing.hold(request(99));
    expect(await billing.release(rest)).toMatchObject({ settled: true });
    expect(await booksOf(open.db, user)).toMatchObject({ held: 0, quota: 1_000_000 });
  });

  test('a model assumed free is still charged to the budgets', async () => {
    const { request, windows } = await someone([500]);
    const hold = await billing.hold(request(0));
    expect(await billing.settle(hold, { cost: 70, usage, endpoint: '/v1' })).toMatchObject({ charged: 70 });
    expect(await windows()).toEqual([{ left: 430, used: 70 }]);
  });

  test('without a key, in the browser, budgets are held and charged the same, also for long work', async () => {
    const user = await addUser(open.db, 1_000_000);
    const budgets = await addBudgets(open.db, [500]);
    const windowId = budgets[0]!.windowId;
    // For requests without a key.
    levels.places.set(0, { payerId: user, budgets });
    const request = (amount: number): HoldRequest => ({
      ...{ requestId: requestId(), userId: user, keyId: null, keyUnlimited: true, amount, modelId: 'm' },
    });
    const short = await billing.hold(request(300));
    expect(await billing.settle(short, { cost: 120, usage, endpoint: '/v1' })).toMatchObject({ charged: 120 });
    await until('it is charged', async () => (await windowOf(open.db, windowId)).used === 120);
    const long = await billing.hold({ ...request(200), durableUntilMs: Date.now() + 3_600_000 });
    expect(await billing.settle(long, { cost: 80, usage, endpoint: '/v1' })).toMatchObject({ charged: 80 });
    expect(await windowOf(open.db, windowId)).toEqual({ left: 300, used: 200 });
    expect(await codeOf(billing.hold(request(301)))).toBe('budget_exceeded');
    levels.places.delete(0);
    expect(await booksOf(open.db, user)).toMatchObject({ used: 200, held: 0, quota: 1_000_000 - 200 });
  });

  test('a request above its hold exhausts budgets and reports the excess', async () => {
    const { request, windows } = await someone([100, 1_000]);
    const hold = await billing.hold(request(90));
    expect(await billing.settle(hold, { cost: 150, usage, endpoint: '/v1' })).toMatchObject({ charged: 150 });
    expect(await windows()).toEqual([
      { left: 0, used: 150 },
      { left: 850, used: 150 },
    ]);
    expect(await codeOf(billing.hold(request(1)))).toBe('budget_exceeded');
  });

  test("an organisation pays from its balance, and the key counts as its user's", async () => {
    const { user, payer, key, request } = await someone([500], { quota: 400, shared: true });
    const hold = await billing.hold(request(300));
    await billing.settle(hold, { cost: 250, usage, endpoint: '/v1' });
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 400, used: 0 });
    expect(await booksOf(open.db, payer)).toMatchObject({ quota: 150, used: 250 });
    expect((await keyOf(open.db, key)).used).toBe(250);
    const refused = billing.hold(request(200));
    expect(await codeOf(refused)).toBe('insufficient_user_quota');
    await refused.catch((error: Error) => expect(error.message).toContain('organisation'));
  });

  test('a hold that outlives its process holds and charges at every level', async () => {
    const { request, windows, user } = await someone([500, 400]);
    const lasting = { durableUntilMs: Date.now() + 600_000 };
    const first = request(300, lasting);
    await billing.hold(first);
    expect(await codeOf(billing.hold(request(200, lasting)))).toBe('budget_exceeded');
    expect(await codeOf(billing.hold(request(200)))).toBe('budget_exceeded');
    expect((await windows()).map(({ left }) => left)).toEqual([200, 100]);
    const found = (await billing.findHold(first.requestId))!;
    await billing.settle(found, { cost: 50, usage, endpoint: '/v1/videos' });
    expect(await windows()).toEqual([
      { left: 450, used: 50 },
      { left: 350, used: 50 },
    ]);
    const second = request(350, lasting);
    await billing.release(await billing.hold(second));
    expect((await windows()).map(({ left }) => left)).toEqual([450, 350]);
    expect(await booksOf(open.db, user)).toMatchObject({ held: 0, used: 50 });
  });

  test("a stream's recorded progress in a dead process is charged at every level, and the rest returned", async () => {
    const { request, windows, key } = await someone([500, 600]);
    const gone = await openTestBilling(open);
    // A process that opens a SQLite file considers all earlier ones dead.
    await billing.owners.look();
    gone.acceptLevels(levels);
    const hold = await gone.hold(request(300));
    gone.progress(hold, 111, usage, '/v1');
    const noted = () => open.db.selectFrom('billing_holds').select('progress').where('key_id', '=', key).execute();
    await until('its progress is written', async () => (await noted()).length > 0);
    await open.db.deleteFrom('owners').where('id', '=', gone.owners.id).execute();
    await billing.sweep();
    expect(await windows()).toEqual([
      { left: 389, used: 111 },
      { left: 489, used: 111 },
    ]);
    await gone.stop();
    expect((await windows()).map(({ used }) => used)).toEqual([111, 111]);
  });

  test('a budget deleted during a request does not prevent the charge', async () => {
    const { request, user, budgets, key, payer } = await someone([500, 600]);
    const hold = await billing.hold(request(300));
    await sql`delete from organisation_budgets where id = (select budget_id from budget_windows
      where id = ${budgets[0]!.windowId})`.execute(open.db);
    levels.places.set(key, { payerId: payer, budgets: budgets.slice(1) });
    await billing.settle(hold, { cost: 100, usage, endpoint: '/v1' });
    expect(await booksOf(open.db, user)).toMatchObject({ used: 100, held: 0 });
    expect(await windowOf(open.db, budgets[1]!.windowId)).toEqual({ left: 500, used: 100 });
  });

  test('a key moved during a request is charged where its hold was taken', async () => {
    const { request, key, payer, windows } = await someone([500]);
    const hold = await billing.hold(request(300));
    const [elsewhere] = await addBudgets(open.db, [800]);
    levels.places.set(key, { payerId: payer, budgets: [elsewhere!] });
    await billing.settle(hold, { cost: 100, usage, endpoint: '/v1' });
    expect(await windows()).toEqual([{ left: 400, used: 100 }]);
    expect(await windowOf(open.db, elsewhere!.windowId)).toEqual({ left: 800, used: 0 });
  });
});

/** At each level the last unit is given out once, however many requests and processes compete for it. */
describe.each(engines)('the last unit on $name', (engine) => {
  const processes = engine.name === 'postgres' ? 2 : 1;
  test.each(['key', 'member', 'team', 'organisation'])(
    'of a %s, requested by 80 at once',
    async (level) => {
      const open = await engine.open();
      const others = await Promise.all(Array.from({ length: processes - 1 }, () => openDb(open.where)));
      const all = await Promise.all([open, ...others].map((database) => openTestBilling(database)));
      const levels = new TestLevels();
      for (const billing of all) billing.acceptLevels(levels);
      const user = await addUser(open.db, 1_000_000);
      const key = await addKey(open.db, user, 0, true);
      const places = ['key', 'member', 'team', 'organisation'];
      const amounts = [1_000, 1_000, 1_000, 1_000].with(places.indexOf(level), 10);
      const budgets = await addBudgets(open.db, amounts);
      levels.places.set(key, { payerId: user, budgets });
      const ask = async (billing: Billing): Promise<number> => {
        const request = {
          requestId: requestId(),
          userId: user,
          keyId: key,
          keyUnlimited: true,
          amount: 10,
          modelId: 'm',
        };
        const hold = await billing.hold(request).catch((error) => {
          expect(error.code).toBe('budget_exceeded');
          return null;
        });
        if (!hold) return 0;
        return (await billing.settle(hold, { cost: 10, usage, endpoint: '/v1' })).charged;
      };
      const charged = await Promise.all(Array.from({ length: 80 }, (_, n) => ask(all[n % all.length]!)));
      expect(charged.filter((quota) => quota > 0)).toEqual([10]);
      for (const { windowId, amount } of budgets)
        expect(await windowOf(open.db, windowId)).toEqual({ left: amount - 10, used: 10 });
      await Promise.all(all.map((billing) => billing.stop()));
      for (const { windowId, amount } of budgets)
        expect(await windowOf(open.db, windowId)).toEqual({ left: amount - 10, used: 10 });
      await Promise.all(others.map((database) => database.close()));
      await open.drop();
    },
    300_000,
  );
});
