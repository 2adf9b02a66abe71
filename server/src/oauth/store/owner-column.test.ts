import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { addUser, engines, type TestDb } from '../../billing/engines.fixture.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/index.ts';
import type { Db } from '../../platform/db/tables.ts';

/* The step that lets an application be without an owner, on a database that is in use: whatever stands there comes through. */

const tables = ['oauth_applications', 'oauth_codes', 'oauth_tokens', 'oauth_consents', 'oauth_sign_ins'];
const applications = 40;

async function addApplication(db: Db, id: number, owner: number): Promise<void> {
  await sql`insert into oauth_applications (id, owner_id, name, description, homepage_url, logo_url, client_id, secret_hash,
      redirect_uris, allowed_scopes, app_type, status, is_verified, verified_by, verified_at, webhook_url, webhook_secret,
      rate_limit, epoch, created_at, updated_at, backchannel_logout_uri, send_iss)
    values (${id}, ${owner}, ${`Needlework ${id}`}, 'd', 'h', 'l', ${`svc_${id}`}, 's', '["https://owned/"]', 'openid',
      'confidential', ${1 + (id % 3)}, 1, 3, 4, 'w', 'ws', 5, 6, 7, 8, 'b', 0)`.execute(db);
  await sql`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at)
    values (${owner}, ${id}, 'openid', 6, 1, 2)`.execute(db);
  await sql`insert into oauth_codes (code_hash, application_id, user_id, redirect_uri, scope, epoch, created_at, expires_at,
      sign_in)
    values (${`code ${id}`}, ${id}, ${owner}, 'r', 'openid', 6, 1, 2, '{}')`.execute(db);
  await sql`insert into oauth_tokens (id, family, application_id, user_id, access_hash, access_scope, access_expires_at,
      access_revoked, refresh_hash, scope, expires_at, revoked, epoch, created_at)
    values (${id}, 1, ${id}, ${owner}, 'a', 'openid', 9, 0, 'r', 'openid', 9, 0, 6, 1)`.execute(db);
  await sql`insert into oauth_sign_ins (session_id, application_id, user_id, sid, created_at)
    values (1, ${id}, ${owner}, ${`sid ${id}`}, 1)`.execute(db);
}

type Row = Record<string, unknown>;
const rowsOf = async (db: Db, table: string): Promise<Row[]> =>
  (await sql<Row>`select * from ${sql.table(table)} order by id`.execute(db)).rows;

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    let owner: number;
    let other: number;
    const before = new Map<string, Row[]>();
    beforeAll(async () => {
      open = await engine.open(migrations.filter(({ name }) => name < '0027'));
      owner = await addUser(open.db, 0);
      other = await addUser(open.db, 0);
      for (let n = 1; n <= applications; n += 1) await addApplication(open.db, n, n % 4 === 0 ? other : owner);
      for (const table of tables) before.set(table, await rowsOf(open.db, table));
      await migrate(open.db);
    });
    afterAll(() => open.drop());

    test('every row keeps all its values', async () => {
      for (const table of tables) {
        const after = await rowsOf(open.db, table);
        expect(after).toHaveLength(applications);
        // Columns of later steps come on top.
        expect(after.map((row, at) => ({ ...row, ...before.get(table)![at] }))).toEqual(after);
      }
    });

    test('foreign keys still hold: owners and applications must exist', async () => {
      const { db } = open;
      const moved = sql`update oauth_applications set owner_id = 999999 where id = 1`.execute(db);
      expect(
        await moved.then(
          () => 'written',
          () => 'refused',
        ),
      ).toBe('refused');
      const stray = sql`insert into oauth_consents (user_id, application_id, scopes, epoch, created_at, updated_at)
        values (${owner}, 999999, 'openid', 0, 0, 0)`.execute(db);
      expect(
        await stray.then(
          () => 'written',
          () => 'refused',
        ),
      ).toBe('refused');
      await sql`update oauth_applications set owner_id = null where id = 1`.execute(db);
      await sql`delete from users where id = ${owner}`.execute(db);
      const left = (await rowsOf(db, 'oauth_applications')).map(({ id }) => id);
      expect(left).toEqual([1, ...Array.from({ length: applications / 4 }, (_, n) => (n + 1) * 4)]);
      expect((await rowsOf(db, 'oauth_consents')).map(({ application_id }) => application_id)).toEqual(left.slice(1));
      await sql`delete from oauth_applications where id = 4`.execute(db);
      expect(await rowsOf(db, 'oauth_consents')).toHaveLength(applications / 4 - 1);
    });

    test('client ids are still unique, and lists by owner still use their index', async () => {
      const { db } = open;
      const twice = sql`update oauth_applications set client_id = 'svc_8' where id = 12`.execute(db);
      expect(
        await twice.then(
          () => 'written',
          () => 'refused',
        ),
      ).toBe('refused');
      const indexes = await sql<{ name: string }>`${
        engine.name === 'sqlite'
          ? sql`select name from sqlite_master where type = 'index' and tbl_name = 'oauth_applications'`
          : sql`select indexname as name from pg_indexes where tablename = 'oauth_applications'`
      }`.execute(db);
      const names = indexes.rows.map(({ name }) => name);
      for (const name of ['owner', 'status', 'unowned']) expect(names).toContain(`oauth_applications_${name}`);
    });

    if (engine.name === 'sqlite')
      test('the database file passes its integrity check', async () => {
        const { db } = open;
        expect((await sql`pragma integrity_check`.execute(db)).rows).toEqual([{ integrity_check: 'ok' }]);
        expect((await sql`pragma foreign_key_check`.execute(db)).rows).toEqual([]);
      });
  });
