import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from '../../billing/engines.fixture.ts';
import type { AppError } from '../../lib/errors.ts';
import { lookedAt } from '../../platform/db/plans.fixture.ts';
import { newId } from './items.ts';
import type { Before, Item, Owner } from './keeper.ts';
import { limits } from './limits.ts';
import { ada, openProcess, type Process, responseOf, said, textsOf, user } from './responses.fixture.ts';

const day = 86_400_000;

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    let here: Process;
    /** Shares nothing with `here` but the database. */
    let there: Process;
    beforeAll(async () => {
      open = await engine.open();
      here = await openProcess(open, engine);
      there = await openProcess(open, engine);
    });
    afterAll(async () => {
      await here.close();
      await there.close();
      await open.drop();
    });

    /** One question and its answer. */
    const turn = async (text: string, named: Before = {}, owner: Owner = ada): Promise<string> => {
      const id = newId('resp');
      const response = responseOf(id, [said(newId('msg'), `${text}!`)]);
      await here.kept.keeper.keep(owner, { response, input: [user(text)], named });
      return id;
    };
    const before = async (named: Before, owner: Owner = ada, by = there) =>
      textsOf(await by.kept.keeper.before(owner, named));
    const refusal = (asked: Promise<unknown>): Promise<AppError> => asked.then(String, (error) => error);

    test('a chain is read by another process, oldest first, also after a fork', async () => {
      const a = await turn('a');
      const b = await turn('b', { previousResponseId: a });
      const c = await turn('c', { previousResponseId: b });
      const d = await turn('d', { previousResponseId: a });
      expect(await before({ previousResponseId: c })).toEqual(['a', 'a!', 'b', 'b!', 'c', 'c!']);
      expect(await before({ previousResponseId: d })).toEqual(['a', 'a!', 'd', 'd!']);
      expect(await before({})).toEqual([]);
    });

    test('a chain of any length is read with two statements', async () => {
      let last: string | undefined;
      for (let i = 0; i < 12; i += 1) last = await turn(`${i}`, last ? { previousResponseId: last } : {});
      const statements = await lookedAt(
        here.kept.deps.db,
        async () => expect(await before({ previousResponseId: last! }, ada, here)).toHaveLength(24),
        /./,
      );
      expect(statements).toHaveLength(2);
    });

    test('responses of another user or key and missing ones give the same error', async () => {
      const id = await turn('mine');
      const strangers: Owner[] = [
        { userId: 2, keyId: 11 },
        { userId: 1, keyId: 12 },
        { userId: 1, keyId: null },
      ];
      const [first, ...others] = await Promise.all(
        [...strangers.map((owner) => [owner, id] as const), [ada, `${id}x`] as const].map(async ([owner, name]) => {
          const { status, message, extras } = await refusal(before({ previousResponseId: name }, owner));
          return { status, message: message.replace(name, '…'), extras };
        }),
      );
      expect(first).toMatchObject({ status: 400, extras: { vendorCode: 'previous_response_not_found' } });
      for (const other of others) expect(other).toEqual(first!);
    });

    test('items are found by id while something refers to them', async () => {
      const { keeper } = here.kept;
      const item = said(newId('msg'), 'remember me');
      await keeper.keep(ada, { response: responseOf(newId('resp'), [item]), input: [user('x')], named: {} });
      expect(await there.kept.keeper.item(ada, item.id as string)).toEqual(item);
      expect(await keeper.item({ userId: 1, keyId: 12 }, item.id as string)).toBeNull();
      const second = newId('resp');
      const input: Item[] = [{ type: 'item_reference', id: item.id }];
      await keeper.keep(ada, { response: responseOf(second, [said(newId('msg'), 'yes')]), input, named: {} });
      // What a reference stood for is part of what was said.
      expect(await before({ previousResponseId: second })).toEqual(['remember me', 'yes']);
    });

    test('items of a conversation are in the order in which answers ended', async () => {
      const { conversations } = here.kept;
      const { id } = await conversations.create(ada, { items: [user('hello')], metadata: {} });
      const named = { conversationId: id };
      await turn('a', named);
      const b = await turn('b', named);
      expect(await before(named)).toEqual(['hello', 'a', 'a!', 'b', 'b!']);
      // Who goes on from a response goes on from what was said until then.
      await turn('c', named);
      const fork = await turn('fork', { previousResponseId: b });
      expect(await before({ previousResponseId: fork })).toEqual(['hello', 'a', 'a!', 'b', 'b!', 'fork', 'fork!']);
      await Promise.all(['p', 'q', 'r', 's'].map((text) => turn(text, named)));
      const all = (await before(named)).slice(7);
      // Four at once, and no question is parted from its answer.
      for (let i = 0; i < all.length; i += 2) expect(all[i + 1]).toBe(`${all[i]}!`);
      expect(all).toHaveLength(8);
      expect(await refusal(before(named, { userId: 2, keyId: 11 }))).toMatchObject({ status: 404 });
      const both = before({ conversationId: id, previousResponseId: b });
      expect(await refusal(both)).toMatchObject({ status: 400 });
    });

    test('a continued response is kept as long as its continuation; others expire', async () => {
      const a = await turn('old');
      const lonely = await turn('lonely');
      here.clock.advance(20 * day);
      there.clock.advance(20 * day);
      const b = await turn('new', { previousResponseId: a });
      for (const one of [here, there]) one.clock.advance(20 * day);
      expect(await before({ previousResponseId: b })).toEqual(['old', 'old!', 'new', 'new!']);
      expect(await refusal(before({ previousResponseId: lonely }))).toMatchObject({ status: 400 });
      await here.kept.sweep();
      const left = await open.db.selectFrom('kept_responses').select('id').execute();
      expect(left.map(({ id }) => id).sort()).toEqual([a, b].sort());
      const items = await open.db.selectFrom('kept_items').select('response_id').distinct().execute();
      expect(items.map((row) => row.response_id).sort()).toEqual([a, b].sort());
      expect(await open.db.selectFrom('kept_conversations').selectAll().execute()).toEqual([]);
    });

    test('with 0 days nothing is stored, and stored responses are gone', async () => {
      const id = await turn('before');
      for (const { days } of [here, there]) days.kept = 0;
      expect(await refusal(before({ previousResponseId: id }))).toMatchObject({ status: 400 });
      await turn('nothing of this');
      const made = here.kept.conversations.create(ada, { items: [], metadata: {} });
      expect(await refusal(made)).toMatchObject({ status: 400 });
      await here.kept.sweep();
      expect(await open.db.selectFrom('kept_responses').select('id').execute()).toEqual([]);
      expect(await open.db.selectFrom('kept_items').select('ref').execute()).toEqual([]);
      for (const { days } of [here, there]) days.kept = 30;
    });

    test('an incomplete chain is rejected, and so is one that is too long or too large', async () => {
      const a = await turn('a');
      const b = await turn('b', { previousResponseId: a });
      await open.db.deleteFrom('kept_responses').where('id', '=', a).execute();
      expect(await refusal(before({ previousResponseId: b }))).toMatchObject({ status: 400 });

      const large = await turn('large');
      const set = (values: object) =>
        open.db.updateTable('kept_responses').set(values).where('id', '=', large).execute();
      await set({ bytes: limits.historyBytes + 1 });
      expect(await refusal(before({ previousResponseId: large }))).toMatchObject({ status: 413 });
      await set({ bytes: 1, items: limits.historyItems + 1 });
      expect(await refusal(before({ previousResponseId: large }))).toMatchObject({ status: 400 });

      const rows = Array.from({ length: limits.links + 1 }, (_, i) => ({
        ...{ id: `long-${i}`, user_id: 1, key_id: 11, status: 'completed', model: 'm', background: 0, response: '{}' },
        ...{ previous_id: i === 0 ? null : `long-${i - 1}`, items: 0, bytes: 0, created_at: 0 },
        touched_at: Math.floor(here.clock.nowMs() / 1000),
        ended_at: 0,
      }));
      for (let at = 0; at < rows.length; at += 200)
        await open.db
          .insertInto('kept_responses')
          .values(rows.slice(at, at + 200))
          .execute();
      const whole = { previousResponseId: `long-${limits.links - 1}` };
      expect(await before(whole)).toEqual([]);
      const [walk] = await lookedAt(there.kept.deps.db, () => before(whole), /^with/);
      // Each link once, and not all that the user has for each.
      expect(walk!.rows).toBeLessThan(10 * limits.links);
      expect(walk!.steps.filter((step) => /^SCAN (?!chain)/.test(step))).toEqual([]);
      const tooLong = await refusal(before({ previousResponseId: `long-${limits.links}` }));
      expect(tooLong).toMatchObject({ status: 400, extras: { param: 'previous_response_id' } });
    });

    test('an id that the database cannot represent is not found', async () => {
      const { keeper } = here.kept;
      const odd = 'resp_\0';
      expect(await refusal(before({ previousResponseId: odd }))).toMatchObject({ status: 400 });
      expect(await refusal(before({ conversationId: odd }))).toMatchObject({ status: 404 });
      expect(await keeper.item(ada, odd)).toBeNull();
      const id = newId('resp');
      const response = responseOf(id, [said('msg_\0', 'odd \0 text')], { model: 'a\0b' });
      const input: Item[] = [
        { type: 'item_reference', id: odd },
        { ...user('a\0b'), id: odd },
      ];
      await keeper.keep(ada, { response, input, named: {} });
      expect(await before({ previousResponseId: id })).toEqual(['a\0b', 'odd \0 text']);
    });

    test('input items are limited in number and size', () => {
      const { admit } = here.kept.keeper;
      admit([user('small')]);
      const fault = (items: Item[]) => {
        try {
          return admit(items);
        } catch (error) {
          return error;
        }
      };
      expect(fault(Array.from({ length: limits.broughtItems + 1 }, () => user('x')))).toMatchObject({ status: 400 });
      expect(fault([user('x'.repeat(limits.broughtBytes))])).toMatchObject({ status: 413 });
    });

    test('storing the same response again changes nothing', async () => {
      const response = responseOf(newId('resp'), [said('msg_once', 'once')]);
      const ended = { response, input: [user('x')], named: {} };
      await here.kept.keeper.keep(ada, ended);
      await there.kept.keeper.keep(ada, ended);
      expect(await before({ previousResponseId: response.id })).toEqual(['x', 'once']);
    });

    test('a user’s responses are exported and deleted, others stay', async () => {
      const eve: Owner = { userId: 5, keyId: 1 };
      const { id } = await here.kept.conversations.create(eve, {
        items: [user('eve in a conversation')],
        metadata: {},
      });
      await turn('eve asks', { conversationId: id }, eve);
      const mine = await turn('ada asks');
      const rows: Record<string, object[]> = {};
      for (const [part, pages] of Object.entries(there.kept.exportOf(5)))
        for await (const page of pages) rows[part] = [...(rows[part] ?? []), ...page];
      expect(rows.responses).toHaveLength(1);
      expect(rows.conversations).toHaveLength(1);
      const told = JSON.stringify(rows.items);
      for (const text of ['eve in a conversation', 'eve asks', 'eve asks!']) expect(told).toContain(text);
      expect(told).not.toContain('ada');
      await there.kept.forgetUser(5);
      await there.kept.forgetUser(5);
      for (const table of ['kept_responses', 'kept_items', 'kept_conversations'] as const)
        expect(await open.db.selectFrom(table).select('user_id').where('user_id', '=', 5).execute()).toEqual([]);
      expect(await before({ previousResponseId: mine })).toEqual(['ada asks', 'ada asks!']);
    });
  });
