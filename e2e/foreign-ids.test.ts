/** Whatever a request names is its owner's: somebody else is told that there is no such thing, and changes nothing of it. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type ApiDocument, type Endpoint, endpointsOf } from './fuzz/document.ts';
import { modelFor } from './fuzz/known.ts';
import { randomOf } from './fuzz/request.ts';
import { sample } from './fuzz/sample.ts';
import { makeWorlds, type World } from './fuzz/world.ts';
import { type Service, startService, until } from './service.ts';

/** Names that mean the same to everybody, and ids that each user chooses for themselves. */
const everybodys = /^(model|model_id|path|provider|window|level|server|name|item_id|chat_id|call_id)$/;
const place = /([\w-]+|\{level\})\/\{(\w+)\}/g;

let service: Service;
let owner: World;
let stranger: World;
let document: ApiDocument;

beforeAll(async () => {
  const env = { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error', OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' };
  service = await startService({ env });
  await service.root.api('/api/admin/options', { method: 'PUT', body: { key: 'McpUserServers', value: true } });
  const worlds = await makeWorlds(service, 1);
  stranger = await withWork(worlds.spare);
  // A passkey last: whoever has one is asked for it.
  owner = withRows(await withWork(worlds.main));
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as ApiDocument;
}, 60_000);
afterAll(() => service.stop());

/** What no request alone can make is written past the service. */
function withRows(world: World): World {
  const userId = Number(world.known('users/{id}')![0]);
  const file = new Database(join(service.dataDir, 'svc.db'));
  file.run('pragma busy_timeout = 30000');
  const insert = (table: string, row: Record<string, string | number>): number => {
    const columns = Object.keys({ ...row, user_id: 0 });
    const text = `insert into ${table} (${columns}) values (${columns.map(() => '?')}) returning id`;
    return file.query<{ id: number }, (string | number)[]>(text).get(...Object.values({ ...row, user_id: userId }))!.id;
  };
  const soon = 4_000_000_000;
  // Old rows would be swept while the test runs.
  const now = Math.floor(Date.now() / 1000);
  const [providerId, serverId] = ['identity-providers/{id}', 'servers/{id}'].map((name) =>
    Number(world.known(name)![0]),
  );
  const call = { tool: 'a', arguments: '{}', arguments_hash: 'a', state: 'waiting', created_at: now, expires_at: soon };
  const source = file.query<{ id: number }, [number]>('select id from sessions where user_id = ?').get(userId)!;
  const rows: Record<string, number> = {
    'sessions/{id}': source.id,
    'passkeys/{id}': insert('passkeys', {
      ...{ credential_id: `of ${userId}`, public_key: '', counter: 0, transports: '[]', name: 'a', created_at: now },
    }),
    'notices/{id}': insert('user_notices', { kind: 'a', about: '{}', created_at: now }),
    'identities/{id}': insert('user_identities', {
      ...{
        provider_id: providerId!,
        issuer: 'a',
        subject: `of ${userId}`,
        label: 'a',
        created_at: now,
        last_used_at: now,
      },
    }),
    'approvals/{id}': insert('mcp_approvals', { server_id: serverId!, ...call }),
  };
  file.close();
  return { ...world, known: (name) => (rows[name] ? [rows[name]] : world.known(name)) };
}

/** A paper that was read, a run, a request, and a server of one's own. */
async function withWork(world: World): Promise<World> {
  const name = String(world.known('session_id')![0]);
  const send = async <T>(path: string, as: string, body?: FormData | Record<string, unknown>): Promise<T> => {
    const isForm = body instanceof FormData;
    const answer = await fetch(service.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { ...world.credentials[as], ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    return ((await answer.json()) as { data: T }).data;
  };
  const paper = new FormData();
  paper.set('file', new File(['It is known.'], 'paper.txt'));
  const { files } = await send<{ files: { source: { id: string } }[] }>(
    '/api/svc-ms/knowledge/import',
    'apiKey',
    paper,
  );
  const run = { session_id: `run-${name}`, message: 'tea', config: { max_iterations: 1 } };
  await send('/api/svc-ms/autonomous/execute', 'apiKey', run);
  const url = 'http://127.0.0.1:9/mcp';
  const server = await send<{ id: number }>('/api/mcp/servers', 'session', {
    ...{ name: `own${name.replace('-', '')}`, url, auth: 'oauth' },
  });
  let requests: { request_id: string }[] = [];
  await until('a request is in the list', async () => {
    ({ requests } = await send<{ requests: typeof requests }>('/api/requests', 'session'));
    return requests.length > 0;
  });
  const made: Record<string, string | number> = {
    'sources/{id}': files[0]!.source.id,
    'autonomous/{session_id}': run.session_id,
    'servers/{id}': server.id,
    'requests/{id}': requests[0]!.request_id,
  };
  return { ...world, known: (field) => (made[field] ? [made[field]] : world.known(field)) };
}

interface Asked {
  endpoint: Endpoint;
  path: string;
  /** The same address with ids that nobody has in place of the owner's. */
  nobodys: string;
  as: string;
}

/** An id like this one, of nothing. */
const missing = (id: unknown): string =>
  /^\d+$/.test(`${id}`) ? '4000000000' : `${id}`.replace(/.$/, (last) => (last === '9' ? '8' : '9'));

/** The addresses of an endpoint where one place after the other, and at last all, name what is the owner's. */
function addressesOf({ path }: Endpoint): Pick<Asked, 'path' | 'nobodys'>[] {
  const places = [...path.matchAll(place)].map(([, , name]) => name!);
  const address = (isForeign: (at: number) => boolean, held = (id: string) => id): string => {
    let at = -1;
    return path.replace('{level}', 'team').replace(place, (_, before: string, name: string) => {
      at += 1;
      const level = before === '{level}' ? 'team' : before;
      const known = (isForeign(at) ? owner : stranger).known(name === 'level_id' ? 'team_id' : `${before}/{${name}}`);
      // Batches of the two kinds have one name in the table.
      const id = String(path.includes('/messages/') ? known?.at(-1) : known?.[0]);
      return `${level}/${encodeURIComponent(isForeign(at) ? held(id) : id)}`;
    });
  };
  const both = (isForeign: (at: number) => boolean) => ({
    path: address(isForeign),
    nobodys: address(isForeign, missing),
  });
  const foreign = places.flatMap((name, at) => (everybodys.test(name) ? [] : [at]));
  const one = foreign.map((at) => both((other) => other === at));
  return foreign.length > 1 ? [...one, both((at) => foreign.includes(at))] : one;
}

async function ask(
  { endpoint, path, as }: Omit<Asked, 'nobodys'>,
  by: World,
): Promise<{ status: number; text: string }> {
  const [type, schema] = endpoint.bodies[0] ?? ['application/json'];
  const known = (name: string) => (name === 'model' ? [modelFor(endpoint.path)] : by.known(name));
  const how = { random: randomOf(1, 1), schemas: document.components.schemas, careful: true, optionalShare: 0, known };
  const headers = { ...by.credentials[as], 'content-type': type };
  const query = endpoint.queryParameters.some(({ name }) => name === 'month') ? '?month=2026-11' : '';
  const answer = await fetch(service.url + path + query, {
    method: endpoint.method,
    headers: endpoint.method === 'GET' ? by.credentials[as]! : headers,
    ...(schema && { body: JSON.stringify(bodyOf(endpoint, sample(schema, '', how))) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Fields without which an endpoint does not come as far as to look for what the address names. */
const bodyOf = ({ path }: Endpoint, sampled: unknown): unknown => ({
  ...Object(sampled),
  ...(path.endsWith('own-keys') && { provider: 'fuzz' }),
  ...(path.endsWith('approve') && path.includes('/tools/') && { definition: 'a'.repeat(64) }),
});

/** An answer without what names the request and what it asked for. */
const impersonal = (text: string, ids: readonly string[]): string =>
  ids.reduce(
    (told, id) => told.replaceAll(id, '…'),
    text.replace(/req_\w+|"(request_id|created|[a-z]+_at)":"?\w+"?/g, ''),
  );
const partsOf = (path: string): string[] => path.split(/[/:]/).slice(2).map(decodeURIComponent).filter(Boolean);
/** Applications are public: their ids are no secret, and whoever does not own one is told so. */
const isKnownToExist = /^\/api\/oauth2\/applications\//;

const tell = ({ endpoint: { method }, path, as }: Asked, status: number, text: string): string =>
  `${method} ${path} as ${as}: ${status} ${text}`;

/** What is deleted goes before what holds it, and what the caller stands on goes last. */
const lastOnes = [/\/tokens\//, /\/consents\//, /\/user\/sessions\//];
const turnOf = ({ method, path }: Endpoint): number => {
  if (method !== 'DELETE') return method === 'GET' ? 0 : 1;
  return 1_000 * (2 + lastOnes.findIndex((pattern) => pattern.test(path))) - path.length;
};
/** Secrets of before, limits that nobody has set, and the key or the file that was deleted at another address just before. */
const mayBeMissing = /\/previous$|\/limits?(\/|$)|^\/api\/tokens\/\{id\}$/;
const mayBeDeleted = /^\/v1\/files\/\{/;

type Field = (id: unknown) => Record<string, unknown>;
const inResponse = (fields: object) => ({ model: 'demo/chat', input: 'hi', max_output_tokens: 16, ...fields });
const levels = ['team', 'member', 'key'] as const;
const levelIds = { team: 'team_id', member: 'users/{id}', key: 'keys/{key_id}' };

/** What bodies and queries name: the place in the table of known things, who asks, and the request around the id. */
const named: [what: string, as: string, request: string, field: Field][] = [
  ['team_id', 'session', 'POST /api/organisations/{own}/keys', (team_id) => ({ name: 'a', owner: 'team', team_id })],
  ['team_id', 'session', 'POST /api/organisations/{own}/keys', (team_id) => ({ name: 'a', owner: 'user', team_id })],
  ['team_id', 'session', 'PUT /api/organisations/{own}/keys/{key}', (team_id) => ({ team_id })],
  ['team_id', 'session', 'POST /api/organisations/{own}/invitations', (team_id) => ({ team_id })],
  ['team_id', 'session', 'PUT /api/oauth2/applications/{application}/owner', (id) => ({ type: 'team', id })],
  ['organisations/{id}', 'session', 'GET /api/mcp/servers', (organisation_id) => ({ organisation_id })],
  [
    ...(['organisations/{id}', 'session', 'POST /api/mcp/servers'] as const),
    (organisation_id) => ({ name: 'theirs', url: 'http://127.0.0.1:9/mcp', organisation_id }),
  ],
  ...levels.flatMap((level): typeof named => [
    [
      ...([levelIds[level], 'session', 'POST /api/organisations/{own}/budgets'] as const),
      (level_id) => ({ level, level_id, window: 'day', amount: 5 }),
    ],
    ...['requests', 'usage', 'decisions'].map((list): (typeof named)[number] => [
      ...([levelIds[level], 'session', `GET /api/organisations/{own}/${list}`] as const),
      (level_id) => ({ level, level_id }),
    ]),
  ]),
  ...['usage/logs', 'usage/summary', 'usage/failures', 'requests'].map((list): (typeof named)[number] => [
    ...(['tokens/{id}', 'session', `GET /api/${list}`] as const),
    (token_id) => ({ token_id }),
  ]),
  ['requests/{id}', 'session', 'GET /api/routing/decisions', (request_id) => ({ request_id })],
  ['responses/{response_id}', 'session', 'GET /api/usage/logs', (parent_request_id) => ({ parent_request_id })],
  ['responses/{response_id}', 'session', 'GET /api/requests', (parent_request_id) => ({ parent_request_id })],
  [
    'responses/{response_id}',
    'apiKey',
    'POST /v1/responses',
    (previous_response_id) => inResponse({ previous_response_id }),
  ],
  ['conversation_id', 'apiKey', 'POST /v1/responses', (conversation) => inResponse({ conversation })],
  [
    ...(['files/{file_id}', 'apiKey', 'POST /v1/batches'] as const),
    (input_file_id) => ({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' }),
  ],
  [
    ...(['files/{file_id}', 'apiKey', 'POST /v1/messages'] as const),
    (file_id) => ({
      ...{ model: 'demo/chat', max_tokens: 5 },
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id } }] }],
    }),
  ],
  [
    ...(['files/{file_id}', 'apiKey', 'POST /v1/responses'] as const),
    (file_id) => inResponse({ input: [{ role: 'user', content: [{ type: 'input_file', file_id }] }] }),
  ],
  ['files/{file_id}', 'apiKey', 'GET /v1/anthropic/files', (id) => ({ 'ids[]': id })],
  ['part_ids', 'apiKey', 'POST /v1/uploads/{upload}/complete', (id) => ({ part_ids: [id] })],
];

test('ids of another user in bodies and queries are answered like ids of nothing', async () => {
  const own: Record<string, unknown> = {
    own: stranger.known('organisations/{id}')![0],
    key: stranger.known('keys/{key_id}')![0],
    application: stranger.known('app_id')![0],
    upload: stranger.known('uploads/{upload_id}')![0],
  };
  const toldApart: string[] = [];
  for (const [what, as, request, field] of named) {
    const id = theirs(what);
    const typed = (text: string) => (typeof id === 'number' ? Number(text) : text);
    const [method, path] = request.replace(/\{(\w+)\}/g, (_, name: string) => `${own[name]}`).split(' ') as [
      string,
      string,
    ];
    const send = async (value: unknown): Promise<string> => {
      const fields = field(value);
      const query = method === 'GET' ? `?${new URLSearchParams(fields as Record<string, string>)}` : '';
      const answer = await fetch(service.url + path + query, {
        method,
        headers: { ...stranger.credentials[as], ...(method !== 'GET' && { 'content-type': 'application/json' }) },
        ...(method !== 'GET' && { body: JSON.stringify(fields) }),
      });
      return `${answer.status} ${impersonal(await answer.text(), [`${id}`, missing(id)])}`;
    };
    const [foreign, nobodys] = [await send(id), await send(typed(missing(id)))];
    if (foreign !== nobodys) toldApart.push(`${request} ${what}: ${foreign} and ${nobodys}`);
  }
  expect(toldApart).toEqual([]);
});

/** An id of the owner's. */
const theirs = (what: string): unknown => {
  const [id] = owner.known(what)!;
  return Array.isArray(id) ? id[0] : id;
};

test('every endpoint rejects ids of another user, in one or all of its parameters', async () => {
  const asked: Asked[] = endpointsOf(document)
    .filter(({ path, security }) => !/\/admin\//.test(path) && security.length > 0)
    .flatMap((endpoint) =>
      addressesOf(endpoint).flatMap((paths) => endpoint.security.map((as) => ({ endpoint, ...paths, as }))),
    );
  // Of what the worlds do not hold nobody could be kept away.
  expect(asked.filter(({ path }) => path.includes('undefined')).map(({ path }) => path)).toEqual([]);
  expect(asked.length).toBeGreaterThan(150);
  const letIn: string[] = [];
  const toldApart: string[] = [];
  for (const one of asked) {
    const { status, text } = await ask(one, stranger);
    if (![401, 403, 404].includes(status)) letIn.push(tell(one, status, text));
    if (isKnownToExist.test(one.path)) continue;
    const nobodys = await ask({ ...one, path: one.nobodys }, stranger);
    const ids = [...partsOf(one.path), ...partsOf(one.nobodys)].toSorted((a, b) => b.length - a.length);
    if (impersonal(text, ids) !== impersonal(nobodys.text, ids) || status !== nobodys.status)
      toldApart.push(`${tell(one, status, text)} and ${nobodys.status} ${nobodys.text}`);
  }
  expect(letIn).toEqual([]);
  expect(toldApart).toEqual([]);
  // The owner finds it all where it was.
  const own = Map.groupBy(asked, ({ endpoint }) => endpoint)
    .values()
    .map((all) => all.at(-1)!);
  const lost: string[] = [];
  for (const one of [...own].sort((a, b) => turnOf(a.endpoint) - turnOf(b.endpoint))) {
    const { status, text } = await ask(one, owner);
    const { path, method } = one.endpoint;
    const isMissed = status === 404 && !mayBeMissing.test(path) && !(method === 'DELETE' && mayBeDeleted.test(path));
    const isLost = status === 401 || status === 500 || isMissed;
    if (isLost) lost.push(tell(one, status, text));
  }
  expect(lost).toEqual([]);
}, 100_000);
