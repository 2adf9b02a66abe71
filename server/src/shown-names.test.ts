import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { type Member, rootPassword } from './app.fixture.ts';
import { accountNamesOf } from './identity/store/names.ts';
import { renameAccount } from './identity/store/users.ts';
import { randomString } from './lib/ids.ts';
import { until } from './lib/until.fixture.ts';
import { openWorld, type World } from './organisations/organisations.fixture.ts';
import { wordsOf } from './platform/db/migration.ts';
import { migration as organisationNames } from './platform/db/migrations/0048-organisation-names.ts';
import { engineOf } from './platform/db/tables.ts';

let world: World;
let root: Member;
let acme: Acme;
let keyId: number;
let applicationId: number;
let channelId: number;
let organisationId: number;
let teamId: number;

const callback = 'https://client.example/callback';
const application = { name: 'Good', redirect_uris: [callback], scopes: 'openid' };
const channel = { name: 'Good', kind: 'openai', base_url: 'http://127.0.0.1:1/v1' };
const model = { model_id: 'good/one', channel_id: 0 };

beforeAll(async () => {
  world = await openWorld();
  root = world.root;
  const made = async (path: string, body: unknown) =>
    ((await (await root.call(path, { method: 'POST', body })).json()) as { data: { id: number } }).data.id;
  keyId = await made('/api/tokens', { name: 'Good' });
  applicationId = await made('/api/oauth2/applications', application);
  channelId = await made('/api/admin/channels', channel);
  organisationId = await made('/api/organisations', { name: 'Good' });
  teamId = await made(`/api/organisations/${organisationId}/teams`, { name: 'Good' });
  acme = await openAcme();
});
afterAll(() => world.close());

type Places = [what: string, method: string, path: () => string, body: (name: string) => unknown][];

/** Every place where somebody gives a name that others, or they themselves, will read. */
const places: Places = [
  ['an application', 'POST', () => '/api/oauth2/applications', (name) => ({ ...application, name })],
  ['an application, changed', 'PUT', () => `/api/oauth2/applications/${applicationId}`, (name) => ({ name })],
  [
    'what an application says',
    'PUT',
    () => `/api/oauth2/applications/${applicationId}`,
    (name) => ({ description: name }),
  ],
  [
    'somebody new',
    'POST',
    () => '/api/user/register',
    (name) => ({ username: `u_${randomString(8)}`, password: rootPassword, display_name: name }),
  ],
  ['oneself', 'PUT', () => '/api/user/self', (name) => ({ display_name: name })],
  ['a key', 'POST', () => '/api/tokens', (name) => ({ name })],
  ['a key, changed', 'PUT', () => `/api/tokens/${keyId}`, (name) => ({ name })],
  ['an organisation', 'POST', () => '/api/organisations', (name) => ({ name })],
  ['an organisation, changed', 'PUT', () => `/api/organisations/${organisationId}`, (name) => ({ name })],
  ['a team', 'POST', () => `/api/organisations/${organisationId}/teams`, (name) => ({ name })],
  ['a directory', 'POST', () => `/api/organisations/${organisationId}/scim/tokens`, (name) => ({ name })],
  [
    'a key of a team’s own',
    'POST',
    () => `/api/organisations/${organisationId}/teams/${teamId}/own-keys`,
    (name) => ({ name, credential: 'sk-good', provider: 'openai' }),
  ],
  ['a channel', 'POST', () => '/api/admin/channels', (name) => ({ ...channel, name })],
  ['a channel, changed', 'PUT', () => `/api/admin/channels/${channelId}`, (name) => ({ name })],
  ['a group of channels', 'PUT', () => `/api/admin/channels/${channelId}`, (name) => ({ group: name })],
  [
    'a credential of a channel',
    'POST',
    () => `/api/admin/channels/${channelId}/credentials`,
    (name) => ({ name, credential: 'sk-good' }),
  ],
  [
    'a key of one’s own',
    'POST',
    () => '/api/routing/own-keys',
    (name) => ({ name, credential: 'sk-good', provider: 'openai' }),
  ],
  [
    'an alias',
    'POST',
    () => '/api/admin/model-aliases',
    (name) => ({ name: name.replaceAll(' ', ''), models: ['good/one'] }),
  ],
  [
    'a model',
    'POST',
    () => '/api/admin/provider-models',
    (name) => ({ ...model, channel_id: channelId, model_id: name.replaceAll(' ', '') }),
  ],
  ['a chat, renamed', 'PUT', () => '/api/playground/chats/good/name', (name) => ({ name })],
  ['a preset', 'POST', () => '/api/playground/presets', (name) => ({ name, prompt: 'Good' })],
  ['a tag', 'POST', () => '/api/svc-ms/sessions', (name) => ({ tags: [name] })],
  ['a username', 'POST', () => '/api/user/register', (name) => ({ username: `${name}x`, password: rootPassword })],
];

const bad = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u202e', '\u2066', '\u00ad', '\u0007', '\u3164', '\u{e0041}'];

test.each(places)('the name of %s must not contain invisible characters', async (_what, method, path, body) => {
  for (const character of bad) {
    const answer = await root.call(path(), { method, body: body(`My${character}bank`) });
    expect([character.codePointAt(0)!.toString(16), answer.status]).toEqual([
      character.codePointAt(0)!.toString(16),
      400,
    ]);
  }
});

interface Acme {
  /** Of the user that stands for it. */
  accountId: number;
  requestId: string;
}

const first = 'Acme Works';
const now = 'Acme Labs';

/** An organisation that did whatever administrators read of, and has another name since. */
async function openAcme(): Promise<Acme> {
  const post = async <T>(path: string, body: unknown) => (await world.send<T>(root, 'POST', path, body)).data;
  const { id, account_id: accountId } = await post<{ id: number; account_id: number }>('/api/organisations', {
    name: first,
  });
  await world.credit(accountId, 10_000);
  const team = await post<{ id: number }>(`/api/organisations/${id}/teams`, { name: 'Research' });
  const { key } = await post<{ key: string }>(`/api/organisations/${id}/keys`, {
    ...{ name: 'Script', owner: 'team', team_id: team.id },
  });
  expect((await world.ask(key)).status).toBe(200);
  await callOwnTool(key);
  const given = { type: 'team', id: team.id };
  const app = await post<{ id: number }>('/api/oauth2/applications', application);
  expect((await world.send(root, 'PUT', `/api/oauth2/applications/${app.id}/owner`, given)).status).toBe(200);
  expect((await world.send(root, 'PUT', `/api/organisations/${id}`, { name: now })).status).toBe(200);
  const requests = `/api/admin/requests?model=m&user_id=${accountId}`;
  const { data } = await world.send<{ requests: { request_id: string }[] }>(root, 'GET', requests);
  await until('its call of a tool is in usage', async () =>
    (await (await root.call('/api/admin/usage/tools')).text()).includes(`"user_id":${accountId}`),
  );
  return { accountId, requestId: data.requests[0]!.request_id };
}

async function callOwnTool(key: string): Promise<void> {
  const answer = await world.t.call('/mcp/svc', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_models', arguments: {} } },
  });
  expect(answer.status).toBe(200);
}

const month = new Date().toISOString().slice(0, 7);

/** Every answer in which somebody reads whose something is. */
const answers: [what: string, path: () => string][] = [
  ['users', () => '/api/admin/users?page_size=100'],
  ['users of a name', () => '/api/admin/users?q=acme%20labs'],
  ['requests', () => '/api/admin/requests'],
  ['a request', () => `/api/admin/requests/${acme.requestId}`],
  ['the overview by user', () => '/api/admin/overview?by=user'],
  ['the overview of one user', () => `/api/admin/overview?user_id=${acme.accountId}`],
  ['calls of tools', () => '/api/admin/usage/tools'],
  ['the audit log', () => `/api/admin/audit?user_id=${acme.accountId}`],
  ['the audit log of a name', () => '/api/admin/audit?target=acme%20labs&action=credits_granted'],
  ['the audit log as a table', () => '/api/admin/audit?action=credits_granted&format=csv'],
  ['applications', () => '/api/oauth2/admin/applications'],
  ['applications of an owner’s name', () => '/api/oauth2/admin/applications?q=acme%20labs'],
  ['the books', () => `/api/admin/accounting?from=${month}`],
];

test.each(answers)("an organisation's account is shown with its current name in %s", async (_what, path) => {
  const answer = await root.call(path());
  const text = await answer.text();
  expect([answer.status, text.includes(now), text.includes(first)]).toEqual([200, true, false]);
});

/** What programs know the account by, wherever its name is not beside it. */
function unnamed(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries(value);
  const isNamed = fields.some(([, field]) => field === now || field === 'Good');
  return fields.flatMap(([name, field]) =>
    typeof field === 'string' && field.startsWith('organisation:') ? (isNamed ? [] : [name]) : unnamed(field),
  );
}

test("no administrator response shows an organisation's account without its name", async () => {
  const { paths } = world.t.app.document() as { paths: Record<string, object> };
  const read = Object.keys(paths).filter((path) => path.startsWith('/api/') && 'get' in paths[path]!);
  expect(read.length).toBeGreaterThan(80);
  const found: [path: string, fields: string[]][] = [];
  for (const path of read) {
    const answer = await root.call(path.replaceAll(/\{\w+\}/g, `${acme.accountId}`));
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    const fields = isJson ? unnamed(await answer.json()) : [];
    if (!isJson) await answer.body?.cancel();
    if (fields.length > 0) found.push([path, fields]);
  }
  expect(found).toEqual([]);
});

test('organisations renamed earlier get their names back', async () => {
  const { db } = world.t.platform.database;
  const nameOf = async () => (await accountNamesOf(db, [acme.accountId])).get(acme.accountId);
  await renameAccount(db, acme.accountId, first);
  expect(await nameOf()).toBe(first);
  for (const statement of organisationNames.statements(wordsOf(engineOf(db)))) await sql.raw(statement).execute(db);
  expect(await nameOf()).toBe(now);
  expect((await accountNamesOf(db, [root.id])).get(root.id)).toBe(root.username);
});

test("only an organisation's owners can rename its account", async () => {
  const changed = await world.send(root, 'PUT', `/api/admin/users/${acme.accountId}`, { display_name: 'Other' });
  expect([changed.status, changed.message]).toEqual([
    409,
    "This user represents an organisation and shares its name. Only the organisation's owners can change it.",
  ]);
  const group = { group: 'special' };
  expect((await world.send(root, 'PUT', `/api/admin/users/${acme.accountId}`, group)).status).toBe(200);
});
