/** A person's rows in every table there is, made of the schema alone: a table that nobody thought of is here too. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { type Db, engineOf } from '../platform/db/tables.ts';

setDefaultTimeout(120_000);
let service: TestApp;
let db: Db;
beforeAll(async () => {
  service = await openTestApp();
  await service.app.start();
  db = service.platform.database.db;
});
afterAll(() => service.close());

/** Columns that say whose a row is, or who had a hand in it. */
const naming =
  /^(user_id|owner_id|actor_id|person_id|keys_of|member_id|link_user_id|invited_by|made_by|verified_by|subject_id)$/;

/** What outlives its user, and the texts that stay in it. */
const stays: Record<string, { because: string; texts: string[] }> = {
  audit_log: {
    because: 'that something was done, by whom and when, is everybody’s',
    texts: ['action', 'actor_name', 'metadata', 'target_type', 'target_name', 'state_before', 'state_after'],
  },
  audit_targets: { because: 'the log is searched by it', texts: ['target_name', 'target_type'] },
  billing_holds: {
    because: 'whoever notices that a process is gone adds these to the books',
    texts: ['request_id', 'model_id', 'estimate', 'progress_usage', 'owner', 'levels'],
  },
  billing_purses: { because: 'the same', texts: ['owner'] },
  billing_reserves: { because: 'the same', texts: ['owner'] },
  usage_days_open: { because: 'the same', texts: ['owner', 'model_id'] },
  credits: { because: 'the books add up', texts: [] },
  redemptions: { because: 'the same', texts: [] },
  topups: { because: 'the same, and whoever paid may ask for it back', texts: ['session_id', 'payment_id', 'status'] },
  usage_days: { because: 'the books add up', texts: ['model_id'] },
  usage_logs: {
    because: 'the same',
    texts: ['request_id', 'model_id', 'endpoint', 'provider', 'status', 'cost_parts', 'parent_request_id'],
  },
  usage_spans: { because: 'the same', texts: ['model_id'] },
  usage_spans_new: { because: 'the same, of PostgreSQL', texts: ['model_id'] },
  usage_totals: { because: 'it is the sum of everybody’s', texts: ['model_id'] },
  usage_totals_new: { because: 'the same, of PostgreSQL', texts: ['model_id'] },
  identity_providers: {
    because: 'they are the operator’s',
    texts: ['slug', 'name', 'kind', 'issuer', 'client_id', 'client_secret', 'role_claim'],
  },
  oauth_applications: {
    because: 'others consented to it by its name',
    texts: ['name', 'client_id', 'id_token_signed_response_alg', 'source', 'registration_hash'],
  },
  oauth_sign_ins: { because: 'its application is told of the end first', texts: ['sid'] },
  organisation_invitations: {
    because: 'whoever was invited may still come',
    texts: ['secret_hash', 'email', 'role'],
  },
  organisation_scim_tokens: {
    because: 'the directory goes on when whoever let it in leaves',
    texts: ['name', 'secret_hash'],
  },
  organisation_scim_users: {
    because: 'what a company says of its people is the company’s',
    texts: ['user_name', 'user_key', 'external_id', 'given_name', 'family_name', 'display_name', 'email', 'address'],
  },
  organisation_keys: { because: 'usage of the organisation is listed by it', texts: [] },
  redemption_codes: { because: 'codes are given to others', texts: ['code_hash', 'code_end', 'note'] },
};

interface Reference {
  table: string;
  column: string;
  parent: string;
  to: string;
}

/** No constraint says so, since rows are written and removed many at a time. */
const unsaid: Reference[] = [
  { table: 'kept_events', column: 'response_id', parent: 'kept_responses', to: 'id' },
  { table: 'kept_items', column: 'response_id', parent: 'kept_responses', to: 'id' },
  { table: 'kept_items', column: 'conversation_id', parent: 'kept_conversations', to: 'id' },
];

async function references(): Promise<Reference[]> {
  const said =
    engineOf(db) === 'sqlite'
      ? sql<Reference>`select m.name as "table", f."from" as "column", f."table" as parent, f."to" as "to"
          from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`
      : sql<Reference>`select c.conrelid::regclass::text as "table", a.attname as "column",
          c.confrelid::regclass::text as parent, b.attname as "to" from pg_constraint c
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
          join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1] where c.contype = 'f'`;
  return [...(await said.execute(db)).rows, ...unsaid];
}

type Row = Record<string, unknown>;

/** What code reads more of than that it is there. */
const given: Record<string, unknown> = {
  'batches.status': 'completed',
  'batches.ended_at': 1,
  'identity_providers.enabled': 0,
  'identity_providers.scopes': '[]',
  'identity_providers.email_domains': '[]',
  'identity_providers.role_map': '{}',
  'kept_responses.ended_at': 1,
  'kept_responses.status': 'completed',
  'mcp_servers.headers': '',
  'mcp_servers.header_names': '[]',
  'mcp_servers.user_ids': '[]',
  'mcp_servers.offers': '[]',
  'mcp_servers.client_secret': '',
  'mcp_servers.client_key': '',
  'mcp_servers.auth': 'headers',
  'mcp_servers.audience': 'all',
  'ms_runs.status': 'completed',
  'ms_runs.owner': null,
  'oauth_applications.allowed_scopes': '[]',
  'oauth_applications.app_type': 'public',
  'oauth_applications.status': 1,
  'organisation_members.role': 'owner',
  'organisation_members.scim_user_id': null,
  'organisations.keys_of': null,
  'organisations.person_id': null,
  'video_jobs.closed': 1,
  'video_jobs.held': 0,
  'video_jobs.results': '[]',
  'video_jobs.status': 'completed',
};
const lists = /^(tags|redirect_uris|post_logout_redirect_uris|token_exchange_clients|models|allowed_ips|keywords)$/;

/** Made by a trigger with the row they hang on. */
const triggered = ['ms_session_tags', 'ms_unembedded'];
/** Things that others have a part in. */
const shared = ['mcp_servers', 'oauth_applications', 'organisations', 'organisation_teams'];

async function schema() {
  // Of indexes, and the months of the usage log.
  const isPart = /_(fts|called|names|vocab)|^usage_logs_/;
  const tables = (await db.introspection.getTables()).filter(({ isView, name }) => !isView && !isPart.test(name));
  const refers = await references();
  return tables.map((table) => ({ ...table, refers: refers.filter((one) => one.table === table.name) }));
}
type Table = Awaited<ReturnType<typeof schema>>[number];

/** Those that lead to a user, each after those that it refers to. */
function personalOf(tables: Table[]): Table[] {
  const found = new Set<Table>();
  const visit = (table: Table): boolean => {
    if (table.name === 'users' || found.has(table)) return found.has(table);
    const parents = table.refers.filter(({ parent }) => parent !== table.name);
    const through = parents.filter(({ parent }) => visit(tables.find(({ name }) => name === parent)!));
    if (through.length > 0 || table.columns.some(({ name }) => naming.test(name))) found.add(table);
    return found.has(table);
  };
  for (const table of tables) visit(table);
  return [...found];
}

const made = new Map<string, Row>();
const mark = (userId: number) => `text of ${userId};`;
let counter = 1_000_000;
/** What pays for an organisation is an account of its own. */
const accounts = new Map<number, number>();

/** A row of a user, hanging on rows of the same user, or where something is shared, on those of `host`. */
async function fill(table: Table, userId: number, host = userId): Promise<void> {
  const valueFor = ({ name, dataType, isNullable, hasDefaultValue, isAutoIncrementing }: Table['columns'][number]) => {
    counter += 1;
    const known = given[`${table.name}.${name}`];
    const refers = table.refers.find(({ column }) => column === name);
    const parent = refers && made.get(`${refers.parent} ${shared.includes(refers.parent) ? host : userId}`);
    if (known !== undefined) return known;
    if (name === 'account_id') return accounts.get(userId);
    if (naming.test(name) || refers?.parent === 'users') return userId;
    if (parent) return parent[refers.to];
    if (isAutoIncrementing || (refers && isNullable)) return undefined;
    if (/blob$/.test(name)) return `files/of-${userId}-${counter}`;
    if (dataType === 'tsvector') return '';
    if (/text/i.test(dataType))
      return lists.test(name) ? JSON.stringify([`${mark(userId)} ${counter}`]) : `${mark(userId)} ${counter}`;
    if (isNullable || hasDefaultValue) return undefined;
    return /blob|bytea/i.test(dataType) ? new Uint8Array([1]) : counter;
  };
  const values = Object.fromEntries(table.columns.map((column) => [column.name, valueFor(column)]));
  const into = db.insertInto(table.name as 'users').values(values as never);
  const row = (await into.returningAll().executeTakeFirstOrThrow()) as Row;
  if (host === userId) made.set(`${table.name} ${userId}`, row);
}

const count = async (table: string, column: string, userId: number): Promise<number> =>
  Number(
    (
      await sql<{
        n: number;
      }>`select count(*) as n from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(db)
    ).rows[0]!.n,
  );

/** Every place in which somebody is still named, as `table.column`. */
async function namesOf(tables: Table[], userId: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name: table, columns } of tables)
    for (const { name } of columns) {
      if (!naming.test(name)) continue;
      const n = await count(table, name, userId);
      if (n > 0) found[`${table}.${name}`] = n;
    }
  return found;
}

/** Every place in which something is still said, as `table.column`. */
async function textsOf(tables: Table[], userId: number): Promise<string[]> {
  const found: string[] = [];
  for (const { name: table, columns } of tables)
    for (const { name, dataType } of columns) {
      if (!/text/i.test(dataType)) continue;
      const { rows } =
        await sql`select 1 from ${sql.table(table)} where ${sql.ref(name)} like ${`%${mark(userId)}%`} limit 1`.execute(
          db,
        );
      if (rows.length > 0) found.push(`${table}.${name}`);
    }
  return found;
}

const isDone = async (userId: number): Promise<boolean> => {
  const waiting = db
    .selectFrom('jobs')
    .select('id')
    .where('queue', '=', 'accounts.delete')
    .where('key', '=', `${userId}`);
  return (await waiting.execute()).length === 0;
};
const remove = async (userId: number): Promise<void> => {
  const answer = await (await service.root()).call(`/api/admin/users/${userId}`, { method: 'DELETE' });
  expect(answer.status).toBe(200);
};

test('whoever is deleted is named in no table but those that must stay, and says nothing there', async () => {
  const all = await schema();
  const tables = personalOf(all);
  const [gone, left] = [await service.user(), await service.user()];
  for (const { id } of [gone, left]) {
    accounts.set(id, (await service.user()).id);
    await fill(all.find(({ name }) => name === 'identity_providers')!, id);
    for (const table of tables) if (!triggered.includes(table.name)) await fill(table, id);
  }
  const namesSomebody = ({ columns }: Table) => columns.some(({ name }) => naming.test(name));
  const hangsOnShared = ({ refers }: Table) => refers.some(({ parent }) => shared.includes(parent));
  for (const table of tables) if (namesSomebody(table) && hangsOnShared(table)) await fill(table, gone.id, left.id);
  const [mine, others] = [await namesOf(tables, gone.id), await namesOf(tables, left.id)];
  expect(Object.keys(mine)).toEqual(Object.keys(others));
  expect(Object.keys(mine).length).toBeGreaterThan(60);

  await remove(gone.id);
  await until('all rooms have forgotten', () => isDone(gone.id));
  const named = Object.keys(await namesOf(tables, gone.id));
  expect(named.filter((place) => !(place.split('.')[0]! in stays))).toEqual([]);
  const kept = Object.entries(stays).flatMap(([table, { texts }]) => texts.map((column) => `${table}.${column}`));
  expect((await textsOf(all, gone.id)).filter((place) => !kept.includes(place))).toEqual([]);
  const after = await namesOf(tables, left.id);
  const isTakenOver = (place: string) => /^(billing_|usage_)/.test(place);
  const lost = Object.entries(others).filter(([place, n]) => (after[place] ?? 0) < n && !isTakenOver(place));
  expect(lost).toEqual([]);
});

test('what one room cannot forget keeps none of the others from it', async () => {
  const { id } = await service.user();
  const tables = await schema();
  const [files, presets] = ['files', 'playground_presets'].map((name) => tables.find((table) => table.name === name)!);
  await fill(files!, id);
  await fill(presets!, id);
  await db.updateTable('files').set({ blob: 'no key of a blob' }).where('user_id', '=', id).execute();
  await remove(id);
  await until('the last room has forgotten', async () => (await count('playground_presets', 'user_id', id)) === 0);
  expect(await isDone(id)).toBeFalse();
});
