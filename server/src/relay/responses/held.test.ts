import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from '../../billing/engines.fixture.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/index.ts';
import { itemIds } from '../wire/responses/item-ids.ts';
import { newId } from './items.ts';
import type { Before, Item, Owner } from './keeper.ts';
import { ada, openProcess, type Process, responseOf, said, textsOf, user } from './responses.fixture.ts';
import { deleteResponse } from './store/delete.ts';
import { outputOf, pageItems } from './store/items.ts';
import { findResponse } from './store/responses.ts';

const scope = { userId: ada.userId, keyId: ada.keyId!, since: 0 };
const step = '0030-kept-contents';

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    let here: Process;
    beforeAll(async () => {
      open = await engine.open();
      here = await openProcess(open, engine);
    });
    afterAll(async () => {
      await here.close();
      await open.drop();
    });
    afterEach(async () => {
      await open.db.deleteFrom('kept_responses').execute();
      await open.db.deleteFrom('kept_items').execute();
    });

    /** As the relay makes them: what is made is named after its response. */
    const keep = async (input: Item[], answer: string, named: Before = {}, owner: Owner = ada) => {
      const id = newId('resp');
      const made = said(itemIds(id)('msg'), answer);
      await here.kept.keeper.keep(owner, { response: responseOf(id, [made]), input, named });
      return { id, made };
    };
    /** With an item of another name. */
    const keepParted = async (text: string, named: Before = {}) => {
      const id = newId('resp');
      const response = responseOf(id, [said(newId('msg'), `${text}!`)]);
      await here.kept.keeper.keep(ada, { response, input: [user(text)], named });
      return id;
    };
    const read = async (id: string) => textsOf(await here.kept.keeper.before(ada, { previousResponseId: id }));
    const item = (id: unknown, owner: Owner = ada) => here.kept.keeper.item(owner, String(id));
    const rows = async () => (await open.db.selectFrom('kept_items').select('ref').execute()).length;
    const row = async (id: string) => (await findResponse(open.db, scope, id))!;

    test('a response whose item ids derive from its own is one row, and all items are found in it', async () => {
      const { id, made } = await keep([user('a'), user('b'), user('c')], 'yes');
      expect(await rows()).toBe(0);
      expect(await read(id)).toEqual(['a', 'b', 'c', 'yes']);
      expect(await outputOf(open.db, await row(id))).toEqual([made]);
      expect(await item(made.id)).toEqual(made);
      const page = async (order: 'asc' | 'desc', limit: number, after?: unknown) =>
        pageItems(open.db, await row(id), { order, limit, after: after as string | undefined });
      const all = (await page('asc', 20))!;
      expect(textsOf(all)).toEqual(['a', 'b', 'c']);
      expect(textsOf((await page('asc', 1, all[0]!.id))!)).toEqual(['b', 'c']);
      expect(textsOf((await page('desc', 20, all[2]!.id))!)).toEqual(['b', 'a']);
      expect(await page('asc', 1, all[2]!.id)).toEqual([]);
      for (const after of [made.id, 'msg_none']) expect(await page('asc', 1, after)).toBeNull();
      for (const one of all) expect(await item(one.id)).toEqual(one);
    });

    test('is visible only to its owner while it is stored', async () => {
      const { id, made } = await keep([user('a')], 'yes');
      for (const owner of [
        { userId: 2, keyId: 11 },
        { userId: 1, keyId: 12 },
        { userId: 1, keyId: null },
      ])
        expect(await item(made.id, owner)).toBeNull();
      for (const name of [`${made.id}0`, `x_${id}_1`, 'msg__1', '_', 'msg_1']) expect(await item(name)).toBeNull();
      here.days.kept = 0;
      expect(await item(made.id)).toBeNull();
      here.days.kept = 30;
      expect(await deleteResponse(open.db, scope, id)).toBe(true);
      expect(await item(made.id)).toBeNull();
    });

    test('repeated items are stored as rows, and of two with the same id the later one counts', async () => {
      const first = await keep([user('a')], 'yes');
      const changed = { ...first.made, content: [{ type: 'output_text', text: 'no' }] };
      const second = await keep([changed, user('b')], 'well');
      expect(await rows()).toBe(3);
      expect(await read(second.id)).toEqual(['no', 'b', 'well']);
      expect(await item(first.made.id)).toMatchObject(changed);
      await deleteResponse(open.db, scope, second.id);
      expect(await item(first.made.id)).toEqual(first.made);
      expect(await rows()).toBe(0);
    });

    test('a repeated item outlives the original response', async () => {
      const first = await keep([user('a')], 'yes');
      await keep([first.made], 'well');
      await deleteResponse(open.db, scope, first.id);
      expect(await item(first.made.id)).toEqual(first.made);
    });

    test('a reference resolves to an item inside a response', async () => {
      const first = await keep([user('a')], 'yes');
      const second = await keep([{ type: 'item_reference', id: first.made.id }], 'well');
      expect(await read(second.id)).toEqual(['yes', 'well']);
      const { id } = await here.kept.conversations.create(ada, {
        items: [{ type: 'item_reference', id: first.made.id }],
        metadata: {},
      });
      expect(textsOf(await here.kept.keeper.before(ada, { conversationId: id }))).toEqual(['yes']);
    });

    test('a chain of both storage forms is read in order', async () => {
      const a = await keepParted('a');
      const b = await keep([user('b')], 'b!', { previousResponseId: a });
      const c = await keepParted('c', { previousResponseId: b.id });
      const d = await keep([user('d')], 'd!', { previousResponseId: c });
      expect(await read(d.id)).toEqual(['a', 'a!', 'b', 'b!', 'c', 'c!', 'd', 'd!']);
    });

    test('large responses and those in a conversation are stored as rows', async () => {
      const large = await keep([user('x'.repeat(20_000))], 'yes');
      expect(await rows()).toBe(2);
      expect((await read(large.id))[1]).toBe('yes');
      const { id } = await here.kept.conversations.create(ada, { items: [], metadata: {} });
      const { made } = await keep([user('a')], 'well', { conversationId: id });
      expect(await rows()).toBe(4);
      expect(await item(made.id)).toEqual(made);
    });

    test('storing returns the response as text', async () => {
      const id = newId('resp');
      const odd = 'a\0b \ud800 "\\u0000" \u2028 \u{1F600}';
      const response = responseOf(id, [said(itemIds(id)('msg'), odd)], { instructions: odd, usage: null });
      const text = await here.kept.keeper.keep(ada, { response, input: [user(odd)], named: {} });
      expect(JSON.parse(text!)).toEqual(response);
      expect(await rows()).toBe(0);
      expect(await read(id)).toEqual([odd, odd]);
    });

    test('an export contains the items inside a response', async () => {
      await keep([user('eve asks')], 'eve hears', {}, { userId: 5, keyId: 1 });
      const pages = await Array.fromAsync(here.kept.exportOf(5).responses!);
      for (const text of ['eve asks', 'eve hears']) expect(JSON.stringify(pages)).toContain(text);
    });
  });

for (const engine of engines)
  test(`${engine.name}: responses stored before the migration can be read`, async () => {
    const open = await engine.open(migrations.filter(({ name }) => name < step));
    const old = { user_id: ada.userId, key_id: ada.keyId! };
    const now = 1_700_000_000;
    await open.db
      .insertInto('kept_responses')
      .values({
        ...{ ...old, id: 'resp_old', status: 'completed', model: 'm', background: 0, response: '{"id":"resp_old"}' },
        ...{ items: 2, bytes: 9, created_at: now, touched_at: now, ended_at: now },
      })
      .execute();
    const items = [user('asked'), said('msg_old', 'told')];
    for (const [position, body] of items.entries())
      await open.db
        .insertInto('kept_items')
        .values({
          ...{ ...old, item_id: `msg_${position}`, response_id: 'resp_old', position, made: position },
          body: JSON.stringify(body),
        })
        .execute();
    expect(await migrate(open.db)).toContain(step);
    const here = await openProcess(open, engine);
    const { keeper } = here.kept;
    const id = newId('resp');
    const response = responseOf(id, [said(itemIds(id)('msg'), 'and on')]);
    await keeper.keep(ada, { response, input: [user('go on')], named: { previousResponseId: 'resp_old' } });
    expect(textsOf(await keeper.before(ada, { previousResponseId: id }))).toEqual(['asked', 'told', 'go on', 'and on']);
    expect(await keeper.item(ada, 'msg_1')).toEqual(items[1]!);
    const row = (await findResponse(open.db, scope, 'resp_old'))!;
    expect(await outputOf(open.db, row)).toEqual([items[1]!]);
    expect(await pageItems(open.db, row, { limit: 5, order: 'asc' })).toEqual([items[0]!]);
    await deleteResponse(open.db, scope, 'resp_old');
    expect(await open.db.selectFrom('kept_items').select('ref').execute()).toEqual([]);
    await here.close();
    await open.drop();
  });
