import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from '../../billing/engines.fixture.ts';
import { newId } from './items.ts';
import { ada, openProcess, type Process, responseOf, said, user } from './responses.fixture.ts';
import { findConversationItem, removeItem } from './store/conversations.ts';
import { deleteConversation, deleteResponse } from './store/delete.ts';

const turns = 6;

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

    test('items, responses and their conversation can be deleted concurrently without deadlock', async () => {
      const { keeper, conversations, deps } = here.kept;
      const { db } = deps;
      const scope = { userId: ada.userId, keyId: ada.keyId!, since: 0 };
      for (let round = 0; round < 12; round += 1) {
        const { id } = await conversations.create(ada, { items: [], metadata: {} });
        const made = Array.from({ length: turns }, () => ({ response: newId('resp'), item: newId('msg') }));
        for (const { response, item } of made)
          await keeper.keep(ada, {
            response: responseOf(response, [said(item, 'yes')]),
            input: [user('a'), user('b')],
            named: { conversationId: id },
          });
        const found = await Promise.all(made.map(({ item }) => findConversationItem(db, id, item, scope)));
        const ends = await Promise.allSettled([
          ...found.map((item) => removeItem(db, id, { ref: item!.ref, itemId: 'gone', bytes: 1 })),
          deleteConversation(db, scope, id),
          ...made.map(({ response }) => deleteResponse(db, scope, response)),
        ]);
        expect(ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))).toEqual([]);
      }
      expect(await db.selectFrom('kept_items').select('ref').execute()).toEqual([]);
    });
  });
