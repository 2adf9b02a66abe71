import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { forgetInAudit } from './identity/audit/account-data-store.ts';
import { pageAudit } from './identity/audit/read.ts';
import { deleteOldAudit, insertAudit } from './identity/audit/store.ts';
import type { AuditRow, NewAuditRow } from './identity/audit/tables.ts';
import { allApplications } from './oauth/applications.ts';
import { deleteSession, listSessions, openSession } from './orchestra/store/sessions.ts';
import { engines, type TestDb } from './platform/db/engines.fixture.ts';
import type { Db } from './platform/db/tables.ts';

/* What the indexes by part of a name and by tag find is what comparing every row would find, and they forget with the rows. */

const day = 86_400;
const entry = (about: Partial<AuditRow>): NewAuditRow => ({
  action: 'updated',
  actor_id: 1,
  actor_name: '',
  target_type: '',
  target_id: null,
  target_name: '',
  ip: '',
  user_agent: '',
  metadata: '{}',
  created_at: day,
  ...about,
});
const idsOf = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const page = { page: 1, page_size: 20 };
const targets = async (db: Db, text: string) =>
  (await pageAudit(db, { targetText: text }, page)).rows.map(
    (row) => `${row.target_type} ${row.target_id} ${row.target_name}`,
  );

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    beforeAll(async () => {
      open = await engine.open();
      await sql`insert into users (username, username_key, password_hash, display_name, avatar_url, email, role, status, "group",
          quota, created_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 700)
        select 'user-' || i, 'user-' || i, '', '', '', '', 1, 1, 'default', 0, 0 from n`.execute(open.db);
    });
    afterAll(() => open.drop());

    test("audit entries are found by part of a target's name and by its id", async () => {
      const { db } = open;
      await insertAudit(db, [
        entry({ target_type: 'application', target_id: 7, target_name: 'Needlework' }),
        entry({ target_type: 'application', target_id: 7, target_name: 'Haystack' }),
        entry({ target_type: 'api_key', target_id: 8, target_name: 'needle 7' }),
        entry({ target_type: 'option', target_name: 'NeedleDays' }),
        entry({ target_type: 'user', target_id: 7 }),
        entry({ target_type: 'user', target_id: 699 }),
      ]);
      expect((await targets(db, 'NEEDLE')).sort()).toEqual([
        'api_key 8 needle 7',
        'application 7 Needlework',
        'option null NeedleDays',
      ]);
      expect((await targets(db, '7')).sort()).toEqual([
        'api_key 8 needle 7',
        'application 7 Haystack',
        'application 7 Needlework',
        'user 7 ',
      ]);
      expect(await targets(db, 'user-699')).toEqual(['user 699 ']);
      expect(await targets(db, 'nothing')).toEqual([]);
      const narrowed = await pageAudit(db, { targetText: 'needle', actions: ['created'] }, page);
      expect(narrowed).toEqual({ rows: [], total: 0, next: null });
    });

    test('names of targets are deleted with their entries', async () => {
      const { db } = open;
      const names = async () =>
        (await db.selectFrom('audit_targets').select('target_name').execute()).map((row) => row.target_name);
      const key = { actor_id: 5, target_type: 'api_key', target_id: 50, target_name: 'laptop of Mary' };
      await insertAudit(db, [entry(key), entry({ ...key, created_at: 2 * day })]);
      expect(await names()).toContain('laptop of Mary');
      await forgetInAudit(db, 5);
      expect(await names()).not.toContain('laptop of Mary');
      await insertAudit(db, [
        entry({ target_type: 'channel', target_id: 3, target_name: 'Acme', created_at: 3 * day }),
      ]);
      while ((await deleteOldAudit(db, 3 * day, 100)) > 0);
      expect(await names()).toEqual(['Acme']);
      expect(await targets(db, 'needle')).toEqual([]);
      expect(await targets(db, 'acme')).toEqual(['channel 3 Acme']);
    });

    test("a deleted user's actions stay, without addresses and names of personal items", async () => {
      const { db } = open;
      const state = (about: object) => JSON.stringify(about);
      const from = { actor_id: 6, ip: '192.0.2.1', user_agent: 'a browser', created_at: 4 * day };
      const made = { ...from, action: 'mcp_server_created', target_type: 'mcp_server' };
      const url = 'https://mine.example';
      await insertAudit(db, [
        entry({
          ...made,
          target_id: 61,
          target_name: 'my diary',
          state_after: state({ url, owner_id: 6, enabled: 1 }),
        }),
        entry({
          ...from,
          target_type: 'mcp_server',
          target_id: 61,
          target_name: 'my diary',
          state_before: state({ url }),
        }),
        entry({ ...from, target_type: 'passkey', target_id: 62, state_after: state({ name: 'phone of Mary' }) }),
        entry({ ...from, target_type: 'own_key', target_id: 63, target_name: 'key of Mary' }),
        entry({ action: 'login_failed', actor_id: null, target_type: 'user', target_id: 6, ip: '192.0.2.1' }),
        // What an administrator did for everybody.
        entry({
          ...made,
          target_id: 64,
          target_name: 'search',
          state_after: state({ url, owner_id: null, enabled: 1 }),
        }),
        // Of somebody else.
        entry({ action: 'login_failed', actor_id: null, target_type: 'user', target_id: 7, ip: '192.0.2.7' }),
      ]);
      for (const _ of ['once', 'and again']) await forgetInAudit(db, 6);
      const rows = await db
        .selectFrom('audit_log')
        .select(['target_id', 'target_name', 'ip', 'state_before', 'state_after'])
        .where((e) => e.or([e('actor_id', '=', 6), e('action', '=', 'login_failed')]))
        .orderBy('id')
        .execute();
      const left = rows.flatMap(({ target_id, ...said }) =>
        Object.values(said)
          .filter(Boolean)
          .map((one) => [target_id, one]),
      );
      expect(left).toEqual([
        [64, 'search'],
        [64, state({ url, owner_id: null, enabled: 1 })],
        [7, '192.0.2.7'],
      ]);
      expect(rows).toHaveLength(7);
    });

    test('a name shared by many targets is listed completely by cursor', async () => {
      const { db } = open;
      const many = idsOf(150).map((id) => entry({ target_type: 'key', target_id: id, target_name: `shared ${id}` }));
      await insertAudit(db, many);
      const seen = new Set<number>();
      let cursor: number[] | undefined;
      do {
        const found = await pageAudit(db, { targetText: 'shared' }, page, cursor);
        for (const row of found.rows) seen.add(row.target_id!);
        cursor = found.next ?? undefined;
      } while (cursor);
      expect(seen.size).toBe(150);
    });

    test('applications are found by name, owner, client id and state', async () => {
      const { db } = open;
      await sql`insert into oauth_applications (owner_id, name, description, homepage_url, logo_url, client_id, secret_hash,
          redirect_uris, allowed_scopes, app_type, status, is_verified, webhook_url, webhook_secret, rate_limit, epoch,
          created_at, updated_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 700)
        select i, case when i = 3 then 'Nähkästchen 100%' else 'App ' || i end, '', '', '', 'client-' || i, '', '[]', '[]',
          'public', case when i % 2 = 0 then 2 when i = 5 then 3 else 1 end, 0, '', '', 0, 0, 0, 0 from n`.execute(db);
      const found = async (q: string, status?: number) => {
        const { rows } = await allApplications({ db }, { q, status }, page);
        return rows.map(({ id }) => id);
      };
      expect(await found('kästchen')).toEqual([3]);
      expect(await found('100%')).toEqual([3]);
      expect(await found('user-699')).toEqual([699]);
      expect(await found('client-42')).toEqual([42]);
      expect(await found('client-4')).toEqual([4]);
      expect(await found('app 5')).toEqual([
        599, 598, 597, 596, 595, 594, 593, 592, 591, 590, 589, 588, 587, 586, 585, 584, 583, 582, 581, 580,
      ]);
      expect(await found('app 64', 2)).toEqual([648, 646, 644, 642, 640, 64]);
      expect(await found('app 5', 3)).toEqual([]);
      await sql`update oauth_applications set name = 'Renamed' where id = 3`.execute(db);
      expect(await found('kästchen')).toEqual([]);
      expect(await found('named')).toEqual([3]);
    });

    test('sessions by tag are listed by last use, and disappear when deleted', async () => {
      const { db } = open;
      const tagged = async (tag: string) => {
        const { sessions, total } = await listSessions(db, { userId: 1, tag, offset: 0, limit: 20 }, 0);
        expect(total).toBe(sessions.length);
        return sessions.map(({ sessionId }) => sessionId);
      };
      await openSession(db, { userId: 1, sessionId: 'a', tags: ['x', 'x', 'a_%"b'] }, 10);
      await openSession(db, { userId: 1, sessionId: 'b', tags: ['x'] }, 20);
      await openSession(db, { userId: 2, sessionId: 'c', tags: ['x'] }, 30);
      await openSession(db, { userId: 1, sessionId: 'd' }, 40);
      expect(await tagged('x')).toEqual(['b', 'a']);
      expect(await tagged('a_%"b')).toEqual(['a']);
      expect(await tagged('a')).toEqual([]);
      await sql`update ms_sessions set last_accessed = 50 where session_id = 'a'`.execute(db);
      expect(await tagged('x')).toEqual(['a', 'b']);
      await deleteSession(db, 1, 'a');
      expect(await tagged('x')).toEqual(['b']);
    });
  });
