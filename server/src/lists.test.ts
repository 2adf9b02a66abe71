import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { pageFiles } from './batches/store/files.ts';
import { failuresOf, listFailures } from './billing/store/failures.ts';
import { answeredCalls, unroutedUsage, usageBetween } from './billing/store/find-usage.ts';
import { pageLedger } from './billing/store/ledger.ts';
import { countUsage, listUsage } from './billing/store/usage.ts';
import type { LogFilter } from './billing/store/usage-sums.ts';
import { pageAudit } from './identity/audit/read.ts';
import type { AuditFilter } from './identity/audit/read-store.ts';
import { listUsers } from './identity/store/names.ts';
import { allApplications } from './oauth/applications.ts';
import { listAll, listOwned } from './oauth/store/list-applications.ts';
import { listRuns } from './orchestra/autonomous/store/runs.ts';
import { pageOfMessages } from './orchestra/store/messages.ts';
import { listSessions } from './orchestra/store/sessions.ts';
import { engines, type TestDb } from './platform/db/engines.fixture.ts';
import { lookedAt } from './platform/db/plans.fixture.ts';
import type { Db } from './platform/db/tables.ts';
import { listChats, othersThan } from './playground/store/chats.ts';
import { pageRequests, type RequestFilter } from './requests/page.ts';
import { listDecisions } from './routing/store/decisions.ts';
import { pageOwnJobs } from './video/store.ts';

/*
 * No list reads a table that grows, however it is narrowed: on PostgreSQL by the rows that its statements took into their
 * hands, on SQLite, which does not count them, by the steps of its plans.
 */

const many = 40_000;
const day = 86_400;
const start = 20_000 * day;
/** One user has half of everything, as in the worst case. */
const heavy = 1;

const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(many)})`;

async function fill(db: Db): Promise<void> {
  await sql`insert into users (username, username_key, password_hash, display_name, avatar_url, email, role, status, "group",
      quota, created_at)
    ${numbers} select 'user-' || i, 'user-' || i, '', 'Person ' || i, '', i || '@example.org', 1, 1, 'default', 0, 0
    from n where i <= 20000`.execute(db);
  // A model that everybody uses, one that somebody used long ago, and one that costs nothing.
  await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
      duration_ms, first_token_ms, created_at)
    ${numbers} select 'r-' || i, case when i % 2 = 0 then 1 when i % 4 = 1 then 2 else 100 + i % 5000 end,
      case when i % 2 = 0 then 1 when i % 4 = 1 then 2 else 100 + i % 5000 end,
      case when i = 2 then 'rare' when i % 4 = 1 then 'free' else 'usual' end, 'chat', 'p', 1, 1, 1, 0, 0, 0, 0,
      case when i % 4 = 1 then 0 else 5 end, 0, 0, 'ok', 1, 1, ${start} + i * 100 from n`.execute(db);
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    select user_id, created_at / 86400, model_id, key_id, count(*), sum(prompt_tokens), sum(completion_tokens), sum(quota)
    from usage_logs group by 1, 2, 3, 4`.execute(db);
  await sql`insert into credits (user_id, amount, balance_after, note, actor_id, place, created_at)
    ${numbers} select i % 2, 1, 1, '', 1, i, ${start} + i * 100 from n`.execute(db);
  await sql`insert into audit_log (action, actor_id, target_type, target_id, target_name, ip, user_agent, metadata, created_at)
    ${numbers} select case when i = 7 then 'app_suspended' else 'login' end, case when i = 8 then 77 else 1 end, 'application',
      case when i = 9 then 99 else 1 end, case when i = 9 then 'Needlework' else 'Shop' end, '', '', '{}',
      ${start} + i * 100 from n`.execute(db);
  await sql`insert into oauth_applications (owner_id, name, description, homepage_url, logo_url, client_id, secret_hash,
      redirect_uris, allowed_scopes, app_type, status, is_verified, webhook_url, webhook_secret, rate_limit, epoch,
      created_at, updated_at)
    ${numbers} select 1 + i % 20000, 'App ' || i, '', '', '', 'client-' || i, '', '[]', '[]', 'public',
      case when i % 2 = 0 then 1 else 3 end, 0, '', '', 0, 0, 0, 0 from n`.execute(db);
  await sql`insert into routing_decisions (request_id, user_id, model_id, strategy, reason, outcome, duration_ms, candidates,
      attempts, created_at)
    ${numbers} select 'r-' || i, i % 2, 'usual', '', '', 'ok', 1, '[]', '[]', ${start} + i from n`.execute(db);
  await sql`insert into failed_requests (request_id, user_id, key_id, model_id, endpoint, status, code, message, duration_ms,
      created_at)
    ${numbers} select 'r-' || i, i % 2, 1, 'usual', 'chat', 502, 'provider_error', '', 1, ${start} + i from n`.execute(
    db,
  );
  await sql`insert into files (id, user_id, purpose, filename, bytes, blob, ready, created_at)
    ${numbers} select 'file-' || i, i % 2, case when i = 9 then 'vision' else 'user_data' end, '', 1, '', 1, 0
    from n`.execute(db);
  await sql`insert into playground_chats (user_id, chat_id, name, models, bytes, version, created_at, updated_at, content)
    ${numbers} select i % 80, 'c-' || i, '', '[]', 1, 1, 0, ${start} + i, '{}' from n`.execute(db);
  await fillMemory(db);
  await sql`analyze`.execute(db);
}

async function fillMemory(db: Db): Promise<void> {
  await sql`insert into ms_sessions (user_id, session_id, tags, created_at, last_accessed)
    ${numbers} select i % 2, 's-' || i, case when i = 9 then '["rare","home"]' else '["home"]' end, 0, ${start} + i
    from n`.execute(db);
  await sql`insert into ms_messages (session_ref, message, tokens, created_at)
    ${numbers} select 1, '{}', 1, 0 from n where i <= 20000`.execute(db);
  await sql`insert into ms_runs (execution_id, user_id, session_ref, caller, goal, config, state, status, turn, first_seq, epoch,
      created_at, updated_ms)
    ${numbers} select 'e-' || i, i % 2, 1, '{}', '', '{}', '{}', case when i = 9 then 'failed' else 'completed' end, i, 0, 0, 0, 0
    from n`.execute(db);
  await sql`insert into video_jobs (id, generation_id, user_id, group_name, model_id, status, held, closed, request, inputs,
      override, seconds, cost, provider, channel_id, model_name, upstream_id, poll_url, submitted_at_ms, rounds, polls, misses,
      progress, error, results, callback_url, callback_tries, called_back_at_ms, created_at_ms, touched_at_ms, finished_at_ms,
      expires_at_ms)
    ${numbers} select 'v-' || i, '', i % 2, '', '', 'completed', 1, 2, '{}', '[]', '{}', 1, 0, '', 1, '', '', '', 0, 0, 0, 0,
      0, '', '[]', '', 0, 0, i, 0, 0, 0 from n`.execute(db);
}

const page = { page: 1, page_size: 20 };
const range = { limit: 20, offset: 0 };

const usage = (filter: LogFilter) => async (db: Db) => {
  await listUsage(db, filter, range);
  await countUsage(db, filter);
};
const requests = (filter: RequestFilter) => (db: Db) => pageRequests(db, filter, { limit: 20 });
const files = (purpose?: string) => (db: Db) => pageFiles(db, heavy, start, { limit: 20, order: 'desc', purpose });
const audit = (filter: AuditFilter) => (db: Db) => pageAudit(db, filter, page);
const applications = (q: string) => (db: Db) => allApplications({ db }, { q }, page);
const users = (q: string) => (db: Db) => listUsers(db, page, { q });

const lists: Record<string, (db: Db) => Promise<unknown>> = {
  'usage of all users': usage({}),
  'usage of all users, some days': usage({ from: start + 2 * day, to: start + 4 * day - 1 }),
  'usage of all users, part of a day long ago': usage({ to: start + 1000 }),
  'usage of all users by a usual model': usage({ modelId: 'usual' }),
  'usage of all users by a rare model': usage({ modelId: 'rare' }),
  'usage of all users by a model that was never used': usage({ modelId: 'none' }),
  'usage of a user': usage({ userId: heavy }),
  'usage of a user by a rare model': usage({ userId: heavy, modelId: 'rare' }),
  'usage of a user by a model that was never used': usage({ userId: heavy, modelId: 'free' }),
  'usage of a user by another user’s key': usage({ userId: heavy, keyId: 200 }),
  'usage of a user, some days': usage({ userId: heavy, from: start, to: start + 2 * day }),
  'usage of a turn': usage({ userId: heavy, parentRequestId: 'none' }),
  'usage of a turn by a usual model': usage({ parentRequestId: 'none', modelId: 'usual' }),
  'usage of a key': usage({ keyId: 1 }),
  'usage of a key by a rare model': usage({ keyId: 1, modelId: 'rare' }),
  'ledger of all users': (db) => pageLedger(db, undefined, range),
  'ledger of a user': (db) => pageLedger(db, heavy, range),
  'ledger of a user whose requests cost nothing': (db) => pageLedger(db, 2, range),
  'ledger of an unknown user': (db) => pageLedger(db, 999_999, range),
  audit: audit({}),
  'audit by a rare action': audit({ actions: ['app_suspended'] }),
  'audit by an action that never was': audit({ actions: ['none'] }),
  'audit by actor': audit({ actorId: 77 }),
  'audit by target': audit({ target: { type: 'application', id: 99 } }),
  'audit by part of an actor’s name': audit({ actorText: 'user-77' }),
  'audit by part of a target’s name': audit({ targetText: 'needle' }),
  'audit by part of a usual target’s name': audit({ targetText: 'shop' }),
  'audit by part of a target’s name that none has': audit({ targetText: 'nothing' }),
  'audit by a target’s id': audit({ targetText: '99' }),
  'audit of long ago': audit({ to: start + 500 }),
  users: users(''),
  'users by a usual part of a name': users('user'),
  'users by a rare part of a name': users('19999'),
  'users by a part that no name has': users('needle'),
  'users by two letters that no name has': users('zz'),
  applications: (db) => listAll(db, { q: '' }, range),
  'applications that are suspended': (db) => listAll(db, { q: '', status: 2 }, range),
  'applications by a rare part of a name': applications('p 39999'),
  'applications by a part that none has': applications('needle'),
  'applications by part of their owner’s name': applications('user-19999'),
  'applications of a user': (db) => listOwned(db, 7, range),
  'decisions of a user': (db) => listDecisions(db, { userId: heavy }, range),
  'decisions of a user by a model that was never used': (db) =>
    listDecisions(db, { userId: heavy, modelId: 'none' }, range),
  'decisions by a model that was never used': (db) => listDecisions(db, { modelId: 'none' }, range),
  'decisions by a usual model': (db) => listDecisions(db, { modelId: 'usual' }, range),
  'failures of a user': (db) => listFailures(db, { userId: heavy }, range),
  'failures of a user, some days': (db) => listFailures(db, { userId: heavy, from: start, to: start + 100 }, range),
  'failures of a user by a rare model': (db) => listFailures(db, { userId: heavy, modelId: 'rare' }, range),
  'failures of a user by a model that was never used': (db) =>
    listFailures(db, { userId: heavy, modelId: 'none' }, range),
  'failures of a key': (db) => listFailures(db, { userId: heavy, keyId: 1 }, range),
  'failures of a key by a rare model': (db) => listFailures(db, { userId: heavy, keyId: 1, modelId: 'rare' }, range),
  'failures by a model that was never used': (db) => listFailures(db, { modelId: 'none' }, range),
  'failures of all users': (db) => listFailures(db, {}, range),
  'requests of all users that failed': requests({ status: 'failed' }),
  'requests of all users that failed with another status': requests({ status: 429 }),
  'requests of all users that were partly answered': requests({ status: 'incomplete' }),
  'requests of a user': requests({ userId: heavy }),
  'requests of a user by a rare model': requests({ userId: heavy, modelId: 'rare' }),
  'requests of a user by a rare model that were partly answered': requests({
    ...{ userId: heavy, modelId: 'rare', status: 'incomplete' },
  }),
  'requests of a user that failed with another status': requests({ userId: heavy, status: 429 }),
  'requests of a key': requests({ keyId: 1 }),
  'requests by a model that was never used': requests({ modelId: 'none' }),
  'requests of a turn': requests({ parentRequestId: 'none', userId: heavy }),
  'a request that failed': (db) => failuresOf(db, 'r-77'),
  'a request that no channel answered': (db) => unroutedUsage(db, 'r-77'),
  'a request of a user, by its time': (db) =>
    usageBetween(db, 'r-78', { userId: heavy }, { from: start + 7800, to: start + 7840 }),
  'a request of some keys, by its time': (db) =>
    usageBetween(db, 'r-78', { keyIds: [1, 2] }, { from: start + 7800, to: start + 7840 }),
  'a request of a user, by where it began': (db) => usageBetween(db, 'none', { userId: heavy }, { from: start }),
  'a request of anybody, by its second': (db) => usageBetween(db, 'r-78', {}, { from: start + 7800, to: start + 7800 }),
  'calls of a turn': (db) => answeredCalls(db, 'none', heavy),
  'files of a user': files(),
  'files of a user by a rare purpose': files('vision'),
  'files of a user by a purpose that none has': files('none'),
  'sessions of a user': (db) => listSessions(db, { userId: heavy, ...range }, start),
  'sessions by a usual tag': (db) => listSessions(db, { userId: heavy, tag: 'home', ...range }, start),
  'sessions by a rare tag': (db) => listSessions(db, { userId: heavy, tag: 'rare', ...range }, start),
  'sessions by a tag that was never used': (db) => listSessions(db, { userId: heavy, tag: 'none', ...range }, start),
  'messages of a session': (db) => pageOfMessages(db, 1, range),
  'runs of a user': (db) => listRuns(db, { userId: heavy, ...range }),
  'runs of a user that failed': (db) => listRuns(db, { userId: heavy, status: 'failed', ...range }),
  'chats of a user': (db) => listChats(db, { userId: heavy, limit: 20 }),
  'chats of a user, further on': (db) =>
    listChats(db, { userId: heavy, after: { updatedAt: start, id: 1 }, limit: 20 }),
  'size of the chats of a user': (db) => othersThan(db, heavy, 'c-1'),
  'video jobs of a user': (db) => pageOwnJobs(db, heavy, range),
};

/** A page, a bounded count, and what is looked at to find them. */
const mostRows = 12_000;

/** With a limit and nothing to narrow them, these are right to begin at one end of a table or of an index. */
const whole = [
  ...['usage of all users', 'ledger of all users', 'audit', 'users', 'applications'],
  // Of indexes that hold nothing else.
  ...['requests of all users that failed', 'requests of all users that were partly answered'],
  // And among so many of its newest.
  'requests of all users that failed with another status',
];
function isFault(name: string, text: string, step: string): boolean {
  // What a subquery has bounded, the place up to which entries are filed, entries of commands, and what FTS5 has found.
  if (/^SCAN (some|counted|part|next|usage_filed|f VIRTUAL)\b|audit_log_actor_name$/.test(step)) return false;
  // The newest of a few parts, each of them bounded.
  if (/^USE TEMP B-TREE/.test(step)) return !/\blimit \S+\) as (part|next)\b/.test(text);
  return text.includes(' where ') && !whole.includes(name);
}

for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    beforeAll(async () => {
      open = await engine.open();
      await fill(open.db);
    });
    afterAll(() => open.drop());

    for (const [name, read] of Object.entries(lists))
      test(name, async () => {
        const looked = await lookedAt(open.db, () => read(open.db));
        expect(looked.length).toBeGreaterThan(0);
        for (const { text, rows, steps } of looked) {
          const found = {
            rows: rows > mostRows ? rows : 'few',
            steps: steps.filter((step) => isFault(name, text, step)),
          };
          expect({ text, ...found }).toEqual({ text, rows: 'few', steps: [] });
        }
      });
  });
