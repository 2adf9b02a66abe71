/** Rows in every table there is, made of the schema alone: a table that nobody thought of is here too. */
import { sql } from 'kysely';
import { type Db, engineOf } from '../platform/db/tables.ts';
import type { Platform } from '../platform/open.ts';

/** Columns that say whose a row is, or who had a hand in it. */
export const naming =
  /^(user_id|owner_id|actor_id|person_id|keys_of|member_id|link_user_id|invited_by|made_by|verified_by|subject_id)$/;

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

const references = async (db: Db): Promise<Reference[]> => {
  const said =
    engineOf(db) === 'sqlite'
      ? sql<Reference>`select m.name as "table", f."from" as "column", f."table" as parent, f."to" as "to"
          from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`
      : sql<Reference>`select c.conrelid::regclass::text as "table", a.attname as "column",
          c.confrelid::regclass::text as parent, b.attname as "to" from pg_constraint c
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
          join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1] where c.contype = 'f'`;
  return [...(await said.execute(db)).rows, ...unsaid];
};

type Row = Record<string, unknown>;

/** What code reads more of than that it is there. */
const given: Record<string, unknown> = {
  'batches.status': 'completed',
  'batches.ended_at': 1,
  // Others read a file of the user's.
  'batches.wire': 'anthropic',
  'identity_providers.enabled': 0,
  'identity_providers.scopes': '[]',
  'identity_providers.email_domains': '[]',
  'identity_providers.role_map': '{}',
  'kept_responses.contents': null,
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
  'oauth_applications.jwks': '',
  'oauth_applications.status': 1,
  'organisation_members.role': 'owner',
  'organisation_members.scim_user_id': null,
  'organisations.keys_of': null,
  'organisations.person_id': null,
  'video_jobs.closed': 1,
  'video_jobs.held': 0,
  'video_jobs.status': 'completed',
};
const lists =
  /^(tags|redirect_uris|post_logout_redirect_uris|token_exchange_clients|models|allowed_ips|keywords|about|response|body|metadata|message|request)$/;

/** Made by a trigger with the row they hang on. */
const triggered = ['ms_session_tags', 'ms_unembedded'];
/** Things that others have a part in. */
export const shared = ['mcp_servers', 'oauth_applications', 'organisations', 'organisation_teams'];

async function schemaOf(db: Db) {
  // Of indexes, and the months of the usage log.
  const isPart = /_(fts|called|names|vocab)|^usage_logs_/;
  const tables = (await db.introspection.getTables()).filter(({ isView, name }) => !isView && !isPart.test(name));
  const refers = await references(db);
  return tables.map((table) => ({ ...table, refers: refers.filter((one) => one.table === table.name) }));
}
export type Table = Awaited<ReturnType<typeof schemaOf>>[number];
type Column = Table['columns'][number];

/** Those that lead to a user, each after those that it refers to. */
function personalOf(tables: Table[]): Table[] {
  const found = new Set<Table>();
  const visit = (table: Table): boolean => {
    if (table.name === 'users' || found.has(table)) return found.has(table);
    const parents = table.refers.filter(({ parent }) => parent !== table.name);
    const through = parents.filter(({ parent }) => visit(tables.find(({ name }) => name === parent)!));
    if (through.length > 0 || namesSomebody(table)) found.add(table);
    return found.has(table);
  };
  for (const table of tables) visit(table);
  return [...found];
}

export const namesSomebody = ({ columns }: Table): boolean => columns.some(({ name }) => naming.test(name));
const mark = (userId: number) => `text of ${userId};`;

/** Fills tables with rows of users, and finds what is left of somebody. */
export class EveryTable {
  readonly personal: Table[];
  private constructor(
    readonly platform: Platform,
    readonly all: Table[],
  ) {
    this.personal = personalOf(all);
  }

  static async of(platform: Platform): Promise<EveryTable> {
    return new EveryTable(platform, await schemaOf(platform.database.db));
  }

  readonly blobs = new Map<string, number>();
  readonly #made = new Map<string, Row>();
  #counter = 1_000_000;

  table(name: string): Table {
    return this.all.find((table) => table.name === name)!;
  }

  /** What was filled of a user in a table, as far as no other row says the same. */
  ownValues(table: Table, userId: number): string[] {
    const row = this.#made.get(`${table.name} ${userId}`) ?? {};
    const isOwn = ({ name }: Column) => !table.refers.some(({ column }) => column === name) && !naming.test(name);
    const values = table.columns.filter(isOwn).map(({ name }) => `${row[name]}`);
    return values.flatMap((value) => /text of \d+; \d+|^1\d{6}$|^files\/.*/.exec(value) ?? []);
  }

  /** Of a user in all tables; what pays for their organisation is `account`, an account of its own. */
  async fillAll(userId: number, account: number, which = (_: Table) => true): Promise<void> {
    await this.fill(this.table('identity_providers'), userId, account);
    for (const table of this.personal)
      if (!triggered.includes(table.name) && which(table)) await this.fill(table, userId, account);
  }

  /** A row of a user, hanging on rows of the same user, or where something is shared, on those of `host`. */
  async fill(table: Table, userId: number, account = userId, host = userId): Promise<void> {
    const parentOf = (name: string) => this.#made.get(`${name} ${shared.includes(name) ? host : userId}`);
    const values: Row = {};
    for (const column of table.columns) {
      this.#counter += 1;
      const refers = table.refers.find((one) => one.column === column.name);
      const parent = refers && parentOf(refers.parent);
      const ofUser = naming.test(column.name) || refers?.parent === 'users';
      const known = given[`${table.name}.${column.name}`];
      if (known !== undefined) values[column.name] = known;
      else if (column.name === 'account_id') values.account_id = account;
      // Rows without a living owner are taken over and removed within seconds.
      else if (column.name === 'owner' && /^(billing|usage)_/.test(table.name)) values.owner = this.platform.owners.id;
      else if (ofUser) values[column.name] = userId;
      else if (parent) values[column.name] = parent[refers.to];
      else if (column.isAutoIncrementing || (refers && column.isNullable)) continue;
      else if (/blob$/.test(column.name)) values[column.name] = await this.#blobOf(userId);
      else if (table.name === 'video_jobs' && column.name === 'results')
        values.results = JSON.stringify([await this.#blobOf(userId)]);
      else values[column.name] = this.#valueOf(column, userId);
    }
    const into = this.platform.database.db.insertInto(table.name as 'users').values(values as never);
    const row = (await into.returningAll().executeTakeFirstOrThrow()) as Row;
    if (host === userId) this.#made.set(`${table.name} ${userId}`, row);
  }

  #valueOf({ name, dataType, isNullable, hasDefaultValue }: Column, userId: number): unknown {
    const text = `${mark(userId)} ${this.#counter}`;
    if (dataType === 'tsvector') return '';
    if (/text/i.test(dataType)) return lists.test(name) ? JSON.stringify([text]) : text;
    if (isNullable || hasDefaultValue) return undefined;
    return /blob|bytea/i.test(dataType) ? new Uint8Array([1]) : this.#counter;
  }

  async #blobOf(userId: number): Promise<string> {
    const key = `files/of-${userId}-${this.#counter}`;
    await this.platform.blobs.put(key, new Uint8Array([1]), 'text/plain');
    this.blobs.set(key, userId);
    return key;
  }

  async blobsOf(userId: number): Promise<string[]> {
    const found: string[] = [];
    for (const [key, owner] of this.blobs)
      if (owner === userId && (await this.platform.blobs.stat(key))) found.push(key);
    return found;
  }

  async count(table: string, column: string, userId: number): Promise<number> {
    const query = sql<{
      n: number;
    }>`select count(*) as n from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`;
    return Number((await query.execute(this.platform.database.db)).rows[0]!.n);
  }

  /** Every place in which somebody is still named, as `table.column`. */
  async namesOf(userId: number): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { name: table, columns } of this.personal)
      for (const { name } of columns) {
        if (!naming.test(name)) continue;
        const n = await this.count(table, name, userId);
        if (n > 0) found[`${table}.${name}`] = n;
      }
    return found;
  }

  /** Every place in which something is still said, as `table.column`. */
  async textsOf(userId: number): Promise<string[]> {
    const found: string[] = [];
    for (const { name: table, columns } of this.all)
      for (const { name, dataType } of columns) {
        if (!/text/i.test(dataType)) continue;
        const query = sql`select 1 from ${sql.table(table)} where ${sql.ref(name)} like ${`%${mark(userId)}%`} limit 1`;
        if ((await query.execute(this.platform.database.db)).rows.length > 0) found.push(`${table}.${name}`);
      }
    return found;
  }
}
