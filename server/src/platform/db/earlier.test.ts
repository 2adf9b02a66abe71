/** A database of the last build before the first version, with both versions running on it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { importPgBossJobs } from '../durable/pg-boss-jobs.ts';
import { listApplied, migrate } from './migrate.ts';
import { wordsOf } from './migration.ts';
import { earlier, migrations } from './migrations/index.ts';
import { type OpenDb, openDb } from './open.ts';
import { type Db, engineOf } from './tables.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const name = `svc_earlier_${process.pid}_${Date.now()}`;
const admin = new SQL(serverUrl, { max: 1 });
const reachable = await admin.unsafe(`create database ${name}`).then(
  () => true,
  () => false,
);
const url = new URL(serverUrl);
url.pathname = `/${name}`;
afterAll(async () => {
  if (reachable) await admin.unsafe(`drop database ${name} with (force)`);
  await admin.close();
});

const steps = `0001-identity 0002-jobs 0003-billing 0004-catalog 0005-routing 0006-oauth 0007-orchestra 0008-video
  0009-autonomous 0010-oauth-token-ids 0011-lean-holds 0012-charges-once 0013-opening-balances 0014-reserves
  0015-decision-choices 0016-filed-usage`.split(/\s+/);
const usageColumns =
  'cache_write_1h_tokens audio_in_tokens image_in_tokens audio_out_tokens estimated cost_parts'.split(' ');

/** Its tables, as far as they differ from the first version's. */
async function asItWas(db: Db): Promise<void> {
  await migrate(
    db,
    migrations.filter(({ name }) => name <= earlier.made),
  );
  const { id, int } = wordsOf(engineOf(db));
  const statements = [
    ...['audit_log', 'owners', 'leases', 'idempotency_keys'].map((table) => `drop table ${table}`),
    'alter table jobs drop column owner',
    'alter table jobs drop column epoch',
    'alter table jobs add column token text',
    'drop index credits_once',
    'alter table credits drop column idempotency_id',
    'alter table provider_models drop column prices',
    ...usageColumns.map((column) => `alter table usage_logs drop column ${column}`),
    'drop index ms_runs_running_user',
    `alter table ms_runs add column lease_until ${int} not null default 7`,
    ...(engineOf(db) === 'postgres' ? ['alter table ms_runs alter column lease_until drop default'] : []),
    "create index ms_runs_lease on ms_runs (lease_until) where status = 'running'",
    `create table billing_owners (owner text primary key, seen_at ${int} not null)`,
    `create table oauth_audit (id ${id}, event_type text not null, application_id ${int}, user_id ${int},
      ip_address text not null, user_agent text not null, metadata text not null, created_at ${int} not null)`,
    'delete from migrations',
    ...steps.map((step) => `insert into migrations (name, applied_at) values ('${step}', 1)`),
    `insert into jobs (queue, key, data, state, attempt, max_attempts, backoff_ms, due_at_ms, created_at_ms)
      values ('person.forget', '1', '{"userId":1}', 'waiting', 0, 20, 1000, 0, 0)`,
    audited('app_created', 1),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const audited = (
  event: string,
  at: number,
) => `insert into oauth_audit (event_type, application_id, user_id, ip_address,
  user_agent, metadata, created_at) values ('${event}', 5, 1, '::1', 'test', '{}', ${at})`;
const rowsOf = async (db: Db, query: string): Promise<unknown[]> => [...(await sql.raw(query).execute(db)).rows];
const auditLog = 'select action, actor_id, target_type, target_id, created_at from audit_log order by id';

const engines: [string, () => Promise<OpenDb>][] = [['sqlite', () => openDb({ path: ':memory:' })]];
if (reachable) engines.push(['postgres', () => openDb({ url: url.href, poolSize: 2 })]);

describe.each(engines)('%s', (engine, open) => {
  test('an earlier database is migrated to this version with its data', async () => {
    const { db, close } = await open();
    await asItWas(db);
    const applied = await migrate(db);
    expect(applied).toContain('0002-durable');
    expect((await listApplied(db)).map((step) => step.name)).toEqual(expect.arrayContaining([...steps, ...applied]));
    expect(await migrate(db)).toEqual([]);
    const created = { action: 'app_created', actor_id: 1, target_type: 'application', target_id: 5, created_at: 1 };
    expect(await rowsOf(db, auditLog)).toEqual([created]);
    expect(await rowsOf(db, 'select queue, owner, epoch from jobs')).toEqual([
      { queue: 'accounts.delete', owner: null, epoch: 0 },
    ]);
    if (engine === 'postgres') await sideBySide(db);
    await close();
  });
});

/** Writes of its processes reach ours, and vice versa. */
async function sideBySide(db: Db): Promise<void> {
  await rowsOf(db, audited('app_updated', 2));
  expect(await rowsOf(db, auditLog)).toMatchObject([{ action: 'app_created' }, { action: 'app_updated' }]);

  const owners = 'select id, beats, slow from owners order by id';
  const beat = `insert into billing_owners values ('its', 1) on conflict (owner) do update set seen_at = 2`;
  for (let i = 0; i < 2; i++) await rowsOf(db, beat);
  await rowsOf(db, `insert into owners (id, beats) values ('ours', 0)`);
  await rowsOf(db, `update owners set beats = 1 where id = 'ours'`);
  expect(await rowsOf(db, owners)).toEqual([
    { id: 'its', beats: 1, slow: 1 },
    { id: 'ours', beats: 1, slow: 0 },
  ]);
  expect(await rowsOf(db, `select owner, seen_at > 1000 as fresh from billing_owners order by owner`)).toEqual([
    { owner: 'its', fresh: false },
    { owner: 'ours', fresh: true },
  ]);
  await runsStayWithTheirHolders(db);
  await jobsFollowTheLast(db);
  expect(await rowsOf(db, `delete from owners where id = 'ours'`)).toEqual([]);
  expect(await rowsOf(db, 'select * from billing_owners')).toEqual([]);
}

async function runsStayWithTheirHolders(db: Db): Promise<void> {
  await rowsOf(db, 'alter table ms_runs drop constraint if exists ms_runs_session_ref_fkey');
  let sessions = 0;
  const run = (execution: string, owner: string, lease: string) => {
    sessions += 1;
    return rowsOf(
      db,
      `insert into ms_runs (execution_id, user_id, session_ref, caller, goal, config, state, status, turn, first_seq,
        owner, epoch, created_at, updated_ms${lease && ', lease_until'})
      values ('${execution}', 1, ${sessions}, '', '', '', '', 'running', 1, 1, '${owner}', 1, 0, 0${lease && `, ${lease}`})`,
    );
  };
  await run('living', 'its', '99999999999999');
  await run('left', 'its', '1000');
  await run('new', 'ours', '');
  const claimed = await rowsOf(
    db,
    `update ms_runs set owner = 'ours', epoch = epoch + 1 where owner = 'its' returning execution_id`,
  );
  expect(claimed).toEqual([{ execution_id: 'left' }]);
  // The runs it considers orphaned.
  const lost = `select execution_id from ms_runs where lease_until < ${Date.now()}`;
  expect(await rowsOf(db, lost)).toEqual([]);
  await rowsOf(db, `update ms_runs set owner = null where execution_id = 'left'`);
  expect(await rowsOf(db, lost)).toEqual([{ execution_id: 'left' }]);
}

async function jobsFollowTheLast(db: Db): Promise<void> {
  expect(await importPgBossJobs(db)).toBe(0);
  await rowsOf(db, 'create schema pgboss');
  await rowsOf(
    db,
    `create table pgboss.job (name text, singleton_key text, data jsonb, state text, retry_limit int,
      start_after timestamptz default now(), created_on timestamptz default now())`,
  );
  const data = `'{"payload": {"id": "v1"}, "backoffMs": 1000}'`;
  await rowsOf(
    db,
    `insert into pgboss.job values ('video', 'v1', ${data}, 'retry', 49), ('video', 'v0', ${data}, 'completed', 49)`,
  );
  expect(await importPgBossJobs(db)).toBe(0);
  await rowsOf(db, `delete from billing_owners where owner = 'its'`);
  expect(await importPgBossJobs(db)).toBe(1);
  expect(await importPgBossJobs(db)).toBe(0);
  const [job] = await rowsOf(db, `select key, data, state, max_attempts, backoff_ms from jobs where queue = 'video'`);
  expect(job).toEqual({ key: 'v1', data: '{"id": "v1"}', state: 'waiting', max_attempts: 50, backoff_ms: 1000 });
}
