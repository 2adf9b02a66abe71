/** A person's rows in every table there is: what a deletion leaves, and what an export tells. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import type { Db } from '../platform/db/tables.ts';
import { EveryTable, namesSomebody, shared, type Table } from './every-table.fixture.ts';

setDefaultTimeout(120_000);
let service: TestApp;
let db: Db;
let tables: EveryTable;
/** Rows of both are in every table; some of the first one's hang on what is the other's. */
let [gone, left]: Member[] = [];
/** Where the other one is named. */
let others: Record<string, number>;
beforeAll(async () => {
  service = await openTestApp();
  await service.app.start();
  db = service.platform.database.db;
  tables = await EveryTable.of(service.platform);
  [gone, left] = [await service.user(), await service.user()];
  const accounts = [await service.user(), await service.user()];
  await tables.fillAll(gone.id, accounts[0]!.id);
  await tables.fillAll(left.id, accounts[1]!.id);
  const hangsOnShared = ({ refers }: Table) => refers.some(({ parent }) => shared.includes(parent));
  for (const table of tables.personal)
    if (namesSomebody(table) && hangsOnShared(table)) await tables.fill(table, gone.id, accounts[0]!.id, left.id);
  others = await tables.namesOf(left.id);
  expect(Object.keys(await tables.namesOf(gone.id))).toEqual(Object.keys(others));
  expect(Object.keys(others).length).toBeGreaterThan(60);
});
afterAll(() => service.close());

const each = (reason: string, names: string[]) => Object.fromEntries(names.map((name) => [name, reason]));

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

/** Rows that tell of nobody. */
const nobodys: Record<string, string> = {
  users: 'it is the account itself: the row stays, without the person',
  taken_in: 'numbers, by which nothing is taken in twice',
  jobs: 'work that is done soon; what must not be read in it is sealed',
  oauth_proofs: 'hashes that run out within minutes',
  oauth_pushed_requests: 'an application’s, and runs out within minutes',
  payment_events: 'numbers, by which no payment counts twice',
  routing_choices: 'models and channels, of everybody’s requests',
  ...each('the operator’s', ['channels', 'channel_credentials', 'provider_models', 'model_aliases', 'options']),
  ...each('the operator’s', ['routing_configs', 'oauth_signing_keys', 'sealing_keys', 'catalog_state']),
  ...each('sums over everybody', ['routing_credential_days', 'routing_metric_shares', 'routing_metric_totals']),
  ...each('how far something has come', ['usage_filed', 'usage_kept', 'usage_spans_filed', 'usage_totals_whole']),
  ...each('becomes entries and sums of the books within a second', ['usage_journal', 'billing_changes']),
  ...each('of processes and the schema', ['billing_writers', 'leases', 'migrations', 'owners']),
};

/** What an export leaves out, and why. */
const untold: Record<string, string> = {
  user_languages: 'told with the account, where it is a language',
  organisation_scim_users: 'told to whoever has joined by it',
  ms_documents: 'finds messages and knowledge, which are told',
  ms_source_parts: 'what is still to become knowledge',
  ms_tool_calls: 'finds plans, which are told',
  ms_run_checkpoints: 'a run as it was; what it came to is told',
  ...each('runs out by itself, soon', ['kept_events', 'ms_run_streams', 'ms_run_events', 'mcp_sessions']),
  ...each('runs out by itself, soon', ['uploads', 'upload_parts']),
  ...each('runs out by itself, soon', ['oauth_codes', 'oauth_device_codes', 'oauth_sign_ins', 'sign_in_attempts']),
  ...each('follows from what is told', [
    'kept_sums',
    'ms_session_tags',
    'ms_unembedded',
    'ms_vectors',
    'usage_spans',
    'usage_spans_new',
  ]),
  ...each('sums that wait to be added up', ['billing_holds', 'billing_purses', 'billing_reserves', 'usage_days_open']),
  ...each('opens an account, here or elsewhere', ['mcp_grants', 'mcp_own_grants', 'one_time_secrets', 'sign_in_links']),
  ...each('opens an account, here or elsewhere', ['totp', 'recovery_codes']),
  ...each('what a server says of itself', ['mcp_tools']),
  ...each('an organisation’s', ['organisation_applications', 'organisation_budgets', 'budget_windows']),
  ...each('an organisation’s', ['organisation_invitations', 'organisation_limits', 'organisation_scim_places']),
  ...each('an organisation’s', ['organisation_scim_tokens', 'organisation_warnings']),
  organisation_team_members: 'told by the teams that it leads to',
  redemption_codes: 'the operator’s, for others',
};

const isDone = async (userId: number, queue = 'accounts.delete'): Promise<boolean> => {
  const waiting = db.selectFrom('jobs').select('id').where('queue', '=', queue).where('key', '=', `${userId}`);
  return (await waiting.execute()).length === 0;
};
/** Texts of somebody that stay where they need not. */
const saidStill = async (userId: number): Promise<string[]> => {
  const kept = Object.entries(stays).flatMap(([table, { texts }]) => texts.map((column) => `${table}.${column}`));
  return (await tables.textsOf(userId)).filter((place) => !kept.includes(place));
};
/** Names of somebody that stay where they need not. */
const namedStill = async (userId: number): Promise<string[]> =>
  Object.keys(await tables.namesOf(userId)).filter((place) => !(place.split('.')[0]! in stays));
const remove = async (userId: number): Promise<void> => {
  const answer = await (await service.root()).call(`/api/admin/users/${userId}`, { method: 'DELETE' });
  expect(answer.status).toBe(200);
};

test('every table is classified as personal, kept or not personal', () => {
  const known = [...tables.personal.map(({ name }) => name), ...Object.keys(stays), ...Object.keys(nobodys)];
  expect(tables.all.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
});

test('the export covers every personal table, except those with a documented reason', async () => {
  const now = Math.floor(Date.now() / 1000);
  await db.updateTable('sessions').set({ factor_at: now }).where('user_id', '=', gone!.id).execute();
  const told = await (await gone!.call('/api/user/self/export')).text();
  JSON.parse(told);
  const isTold = (table: Table) => tables.ownValues(table, gone!.id).some((value) => told.includes(value));
  const missing = tables.personal.filter((table) => !isTold(table)).map(({ name }) => name);
  expect(missing.filter((name) => !(name in untold))).toEqual([]);
});

test('a deleted user remains only in tables that must be kept, without content', async () => {
  await remove(gone!.id);
  await until('all rooms have forgotten', () => isDone(gone!.id));
  expect(await namedStill(gone!.id)).toEqual([]);
  expect(await saidStill(gone!.id)).toEqual([]);
  expect(await tables.blobsOf(gone!.id)).toEqual([]);
  expect((await tables.blobsOf(left!.id)).length).toBeGreaterThan(3);
  const after = await tables.namesOf(left!.id);
  const isTakenOver = (place: string) => /^(billing_|usage_)/.test(place);
  const lost = Object.entries(others).filter(([place, n]) => (after[place] ?? 0) < n && !isTakenOver(place));
  expect(lost).toEqual([]);
});

test('a deleted organisation leaves only its accounting records', async () => {
  const owner = await service.user();
  const made = await owner.call('/api/organisations', { method: 'POST', body: { name: 'Short Lived' } });
  const { id } = ((await made.json()) as { data: { id: number } }).data;
  const found = db.selectFrom('organisations').select('account_id').where('id', '=', id);
  const { account_id: account } = await found.executeTakeFirstOrThrow();
  const ofPeople = /^(api_keys|sessions|passkeys|totp|recovery_|one_time_|user_|sign_in_|organisation|budget)/;
  await tables.fillAll(account, account, ({ name }) => !ofPeople.test(name));
  expect((await owner.call(`/api/organisations/${id}`, { method: 'DELETE' })).status).toBe(200);
  await until('all rooms have forgotten', () => isDone(account, 'organisations.ended'));
  expect(await namedStill(account)).toEqual([]);
  expect(await saidStill(account)).toEqual([]);
  expect(await tables.blobsOf(account)).toEqual([]);
});

test('a deletion that fails in one module does not block the others', async () => {
  const { id } = await service.user();
  for (const name of ['files', 'playground_presets']) await tables.fill(tables.table(name), id);
  await db.updateTable('files').set({ blob: 'no key of a blob' }).where('user_id', '=', id).execute();
  await remove(id);
  await until(
    'the last room has forgotten',
    async () => (await tables.count('playground_presets', 'user_id', id)) === 0,
  );
  expect(await isDone(id)).toBeFalse();
});
