import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engines, type TestDb } from '../../platform/db/engines.fixture.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/index.ts';
import { allApplications } from '../applications.ts';
import { redirectUrisInUse } from './applications.ts';
import { countRegistered, deleteOldestUnused, deleteUnused, insertUnlessThere } from './unowned.ts';

const unowned = (client_id: string, fields: Record<string, string | number> = {}) => ({
  ...{ client_id, name: client_id, description: '', homepage_url: '', logo_url: '', secret_hash: '' },
  ...{ redirect_uris: `["https://${client_id}/"]`, allowed_scopes: 'openid', app_type: 'public', status: 1 },
  ...{ is_verified: 0, webhook_url: '', webhook_secret: '', rate_limit: 0, epoch: 0, created_at: 0, updated_at: 0 },
  ...{ owner_id: null, source: 'registration', ...fields },
});

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    beforeAll(async () => {
      open = await engine.open(migrations.filter(({ name }) => name < '0027'));
      const { db } = open;
      await sql`insert into users (id, username, username_key, password_hash, display_name, avatar_url, email, role, status,
          "group", quota, created_at)
        values (7, 'owner', 'owner', '', '', '', '', 1, 1, 'default', 0, 0)`.execute(db);
      await sql`insert into oauth_applications (id, owner_id, name, description, homepage_url, logo_url, client_id,
          secret_hash, redirect_uris, allowed_scopes, app_type, status, is_verified, webhook_url, webhook_secret, rate_limit,
          epoch, created_at, updated_at)
        values (70, 7, 'Needlework', '', '', '', 'svc_a', '', '["https://owned/"]', 'openid', 'public', 1, 0, '', '', 0, 0, 0, 0)`.execute(
        db,
      );
      await sql`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at)
        values (7, 70, 'openid', 0, 0, 0)`.execute(db);
      await migrate(db);
    });
    afterAll(() => open.drop());

    const clientIds = async () =>
      (await open.db.selectFrom('oauth_applications').select('client_id').orderBy('client_id').execute()).map(
        (row) => row.client_id,
      );

    test('existing applications keep their owner, consents and name', async () => {
      const { db } = open;
      const row = await db.selectFrom('oauth_applications').selectAll().where('id', '=', 70).executeTakeFirstOrThrow();
      expect(row).toMatchObject({ owner_id: 7, source: 'owner', document_expires_at: null, registration_hash: '' });
      const consents = await db.selectFrom('oauth_consents').select('application_id').execute();
      expect(consents).toEqual([{ application_id: 70 }]);
      const { rows } = await allApplications({ db }, { q: 'needle' }, { page: 1, page_size: 20 });
      expect([...rows]).toMatchObject([{ id: 70, owner_username: 'owner' }]);
    });

    test('an application without an owner is created once and found like any other', async () => {
      const { db } = open;
      expect(await insertUnlessThere(db, unowned('a.example'))).toMatchObject({ owner_id: null });
      expect(await insertUnlessThere(db, unowned('a.example'))).toBeNull();
      expect(await countRegistered(db, 10)).toBe(1);
      const { rows } = await allApplications({ db }, { q: 'a.exam' }, { page: 1, page_size: 20 });
      expect([...rows]).toMatchObject([{ client_id: 'a.example', owner_username: null }]);
      expect(await redirectUrisInUse(db)).toEqual(['["https://owned/"]']);
    });

    test('unused ones are deleted in steps, and nothing else', async () => {
      const { db } = open;
      const times = { source: 'document', document_expires_at: 50 };
      for (const row of [
        unowned('b.example', times),
        unowned('c.example', { ...times, document_expires_at: 500 }),
        unowned('d.example', { updated_at: 500 }),
        unowned('e.example', { status: 2 }),
        unowned('f.example', { is_verified: 1 }),
        unowned('g.example', { status: 3 }),
      ])
        await insertUnlessThere(db, row);
      const used = await insertUnlessThere(db, unowned('h.example'));
      await sql`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at)
        values (7, ${used!.id}, 'openid', 0, 0, 0)`.execute(db);
      const before = { document: 100, registration: 100 };
      let gone = 0;
      let upTo: number | null = 0;
      while (upTo !== null) {
        const step: Awaited<ReturnType<typeof deleteUnused>> = await deleteUnused(db, before, upTo, 2);
        gone += step.gone;
        upTo = step.upTo;
      }
      expect(gone).toBe(3);
      expect(await clientIds()).toEqual(['c.example', 'd.example', 'e.example', 'f.example', 'h.example', 'svc_a']);
    });

    test('of clients with documents and without consent, only the newest are kept', async () => {
      const { db } = open;
      const before = await clientIds();
      const document = { source: 'document', document_expires_at: 500 };
      const names = ['i', 'j', 'k', 'l', 'm'].map((letter) => `${letter}.example`);
      for (const name of names) await insertUnlessThere(db, unowned(name, document));
      await insertUnlessThere(db, unowned('n.example', { ...document, is_verified: 1 }));
      await insertUnlessThere(db, unowned('o.example', { ...document, status: 2 }));
      await sql`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at)
        select 7, id, 'openid', 0, 0, 0 from oauth_applications where client_id = 'i.example'`.execute(db);
      // With the one of before they are five.
      expect(before).toContain('c.example');
      expect(await deleteOldestUnused(db, 5)).toBe(0);
      expect(await deleteOldestUnused(db, 2)).toBe(3);
      const left = [...before, 'i.example', 'l.example', 'm.example', 'n.example', 'o.example'];
      expect(await clientIds()).toEqual(left.filter((name) => name !== 'c.example').sort());
      await insertUnlessThere(db, unowned('c.example', document));
    });

    test('deleting an owner deletes only their own applications', async () => {
      await sql`delete from users where id = 7`.execute(open.db);
      expect(await clientIds()).not.toContain('svc_a');
      expect(await clientIds()).toContain('c.example');
    });
  });
