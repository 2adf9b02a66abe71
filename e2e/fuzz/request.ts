/** One request to one endpoint: valid according to the document, or broken in some way. */
import type { Endpoint } from './document.ts';
import { modelFor } from './known.ts';
import { breakText, mutate, nasty, oddEncodings, oddMethods, oddPlaces, oddTypes } from './mutate.ts';
import { type Random, seeded } from './random.ts';
import { isGiven, type Sampling, type Schema, sample } from './sample.ts';
import type { World, Worlds } from './world.ts';

export interface Made {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** The name of the credential. */
  as: string;
}

/** Argon2 takes 50 ms of a core, pictures and keys too, and runs continue after their answer: fewer of these, or other requests wait. */
const rare: Record<string, number> = {
  'POST /api/user/login': 0.1,
  'POST /api/user/totp': 0.1,
  'POST /api/user/passkeys/options': 0.1,
  'POST /api/admin/invitations': 0.1,
  'POST /api/user/register': 0.1,
  'PUT /api/user/self': 0.3,
  'POST /api/user/email/verification': 0.3,
  'POST /api/oauth2/admin/signing-keys/rotate': 0.1,
  'POST /v1/images/generations': 0.3,
  'POST /v1/images/edits': 0.2,
  'POST /v1/images/variations': 0.2,
  'DELETE /api/admin/users/{id}': 0.3,
  'POST /api/user/step-up/passkey/options': 0.3,
  'POST /api/svc-ms/knowledge/import': 0.3,
  'POST /v1/videos': 0.3,
  'POST /api/svc-ms/autonomous/execute': 0.3,
  'POST /api/svc-ms/autonomous/resume': 0.3,
};

/** Requests that remove the caller's own credentials, after which every request would be refused. */
const destructive = new Set([
  'POST /api/user/logout',
  'DELETE /api/user/self',
  'DELETE /api/user/sessions',
  'DELETE /api/user/self/kept/responses',
  'DELETE /api/organisations/{id}/kept/responses',
  'DELETE /api/user/sessions/{id}',
  'PUT /api/tokens/{id}',
  'DELETE /api/tokens/{id}',
  'POST /api/tokens/{id}/rotate',
  'POST /v1/videos/callback-secret/rotate',
  'PUT /api/tokens/{id}/limit',
  'DELETE /api/tokens/{id}/limit',
  'DELETE /api/tokens/{id}/previous',
  'DELETE /api/oauth2/tokens/{token_id}',
  'PUT /api/oauth2/applications/{app_id}',
  'DELETE /api/oauth2/applications/{app_id}',
  'POST /api/oauth2/applications/{app_id}/rotate-secret',
  'DELETE /api/oauth2/consents/{application_id}',
  'POST /api/oauth2/admin/applications/suspend',
  'PUT /api/oauth2/register/{client_id}',
  'DELETE /api/oauth2/register/{client_id}',
  'POST /api/oauth2/token',
  'POST /api/oauth2/revoke',
  'GET /api/oauth2/end_session',
  'POST /api/oauth2/end_session',
  'POST /api/oauth2/end_session/confirm',
  'DELETE /api/admin/users/{id}/factors',
  'DELETE /api/admin/users/{id}/sessions',
  'DELETE /api/admin/users/{id}/sessions/{session_id}',
  'DELETE /api/admin/invitations/{id}',
  'DELETE /api/user/notices/{id}',
  'DELETE /api/user/spending/{window}',
  // A tiny limit would refuse all later requests.
  'PUT /api/user/spending/{window}',
  'POST /api/admin/users/{id}/links',
  'DELETE /api/admin/identity-providers/{id}',
  'PUT /api/admin/identity-providers/{id}',
  'DELETE /api/mcp/servers/{id}',
  'DELETE /api/organisations/{id}',
  'DELETE /api/organisations/{id}/teams/{team_id}',
  'DELETE /api/organisations/{id}/teams/{team_id}/members/{user_id}',
  'DELETE /api/organisations/{id}/teams/{team_id}/own-keys/{key_id}',
  'DELETE /api/organisations/{id}/invitations/{invitation_id}',
  'DELETE /api/organisations/{id}/keys/{key_id}',
  'POST /api/organisations/{id}/keys/{key_id}/rotate',
  'DELETE /api/organisations/{id}/keys/{key_id}/previous',
  'DELETE /api/organisations/{id}/budgets/{budget_id}',
  'DELETE /api/organisations/{id}/scim/tokens/{scim_token_id}',
  'DELETE /scim/v2/Users/{id}',
  'DELETE /scim/v2/Groups/{id}',
  'DELETE /v1/responses/{response_id}',
  'DELETE /v1/files/{file_id}',
  'DELETE /v1/anthropic/files/{file_id}',
  'DELETE /v1/messages/batches/{batch_id}',
  'PUT /api/admin/users/{id}',
  'DELETE /api/admin/users/{id}',
  'DELETE /api/admin/channels/{id}',
  'DELETE /api/admin/channels/{id}/credentials/{credential_id}',
  'DELETE /api/admin/model-aliases/{id}',
  'DELETE /api/routing/own-keys/{id}',
  'DELETE /api/svc-ms/sessions/{session_id}',
  'DELETE /api/svc-ms/knowledge/{id}',
  'DELETE /api/svc-ms/knowledge/sources/{id}',
  'DELETE /api/playground/chats/{chat_id}',
  'DELETE /api/playground/presets/{id}',
  'DELETE /v1/videos/{jobId}',
]);

/** Each ends what those before it need. */
const last = [
  /^DELETE .*\/(teams\/\{team_id\}|keys\/\{key_id\}|budgets\/\{budget_id\}|members\/\{user_id\})$/,
  /^DELETE .*\/(organisations\/\{id\}|scim\/tokens\/\{scim_token_id\}|register\/\{client_id\}|sessions\/\{session_id\})$/,
  /oauth2\/(token|revoke)$|\/applications\/\{app_id\}$|\/tokens\/\{(id|token_id)\}$/,
  /admin\/users\/\{id\}/,
  /user\/(logout|sessions|totp|email|password)|end_session/,
  /^(PUT|DELETE) \/api\/user\/self$/,
];

export const latenessOf = ({ method, path }: Endpoint): number =>
  method === 'GET' ? 0 : last.findLastIndex((pattern) => pattern.test(`${method} ${path}`)) + 1;

export const worldFor = ({ main, spare }: Worlds, { method, path }: Endpoint): World =>
  destructive.has(`${method} ${path}`) ? spare : main;

export function chooseEndpoint(endpoints: Endpoint[], random: Random): Endpoint {
  for (;;) {
    const endpoint = random.pick(endpoints);
    if (random.chance(rare[`${endpoint.method} ${endpoint.path}`] ?? 1)) return endpoint;
  }
}

export function makeRequest(
  endpoint: Endpoint,
  world: World,
  schemas: Record<string, Schema>,
  random: Random,
  valid = false,
): Made {
  const careful = valid || random.chance(0.35);
  const optionalShare = random.pick(careful ? [0, 0.2] : [0, 0.2, 0.6, 1]);
  const method = !careful && random.chance(0.03) ? random.pick(oddMethods) : endpoint.method;
  const [as, credential] = chooseCredential(endpoint, world, random, valid);
  const asked = `${endpoint.method} ${endpoint.path}`;
  const known = (name: string) => {
    if (name === 'model' || name === 'models/{model}') return [modelFor(endpoint.path)];
    // Elsewhere `prompt` is the input of a model.
    if (name === 'prompt' && endpoint.path.includes('/oauth2/')) return ['consent', 'none'];
    if (name.startsWith('client_') && ownRegistration.test(endpoint.path))
      return name === 'client_id' ? world.known('register/{client_id}') : undefined;
    if (overMcp.test(endpoint.path) && mcpValues[name]) return mcpValues[name];
    // A client authenticated by its header sends no credentials in the body.
    return careful && as === 'client' && name.startsWith('client_') ? undefined : world.known(name, asked);
  };
  const how: Sampling = { random, schemas, careful, optionalShare, known };
  const headers = { ...credential, ...(overMcp.test(endpoint.path) && random.chance(0.8) && mcpHeaders) };
  const made: Made = { method, path: pathOf(endpoint, how) + queryOf(endpoint, how), headers, as };
  if (method === 'GET' || method === 'HEAD' || method === 'TRACE') return made;
  if (endpoint.bodies.length === 0) {
    // Writes with a cookie need the JSON content type, with or without a body.
    if (random.chance(0.8)) made.headers['content-type'] = 'application/json';
    return made;
  }
  const [type, told] = random.pick(endpoint.bodies);
  const schema = overMcp.test(endpoint.path) ? mcpMessage : told;
  return { ...made, ...bodyOf(type, schema, made.headers, how) };
}

/** MCP messages: the document does not describe their envelope, and headers say what the caller accepts. */
const overMcp = /^\/mcp(\/|$)/;
const mcpHeaders = { accept: 'application/json, text/event-stream', 'mcp-session-id': 'a'.repeat(32) };
const mcpMessage: Schema = {
  type: 'object',
  required: ['jsonrpc', 'id', 'method'],
  properties: {
    ...{ jsonrpc: { type: 'string' }, id: { type: 'integer' }, method: { type: 'string' } },
    params: { type: 'object' },
  },
};
const mcpValues: Record<string, readonly unknown[]> = {
  jsonrpc: ['2.0'],
  method: [
    'tools/list',
    'ping',
    'resources/list',
    'prompts/list',
    'tools/call',
    'initialize',
    'notifications/cancelled',
  ],
  id: [1, 'one'],
};

/** Authorized by the token that the client received when it registered. */
const ownRegistration = /\/register\/\{/;

function chooseCredential(
  endpoint: Endpoint,
  world: World,
  random: Random,
  valid: boolean,
): [string, Record<string, string>] {
  const admin = /\/admin\/|\/routing\/configs\/.+|^\/api\/mcp\//.test(endpoint.path);
  const open = ownRegistration.test(endpoint.path) ? ['registration'] : ['client', 'nobody'];
  const right = admin ? ['admin'] : endpoint.security.length > 0 ? endpoint.security : open;
  const name = valid || random.chance(0.7) ? random.pick(right) : random.pick(Object.keys(world.credentials));
  return [name, world.credentials[name] ?? {}];
}

function pathOf(endpoint: Endpoint, how: Sampling): string {
  let previous = '';
  return endpoint.path.replace(/([\w-]+|(?<=\}))\/\{(\w+)\}/g, (_, plain: string, name: string) => {
    const before = plain || previous;
    previous = name;
    const schema = endpoint.pathParameters.find((parameter) => parameter.name === name)?.schema ?? {};
    const odd = !how.careful && how.random.chance(0.3);
    const value = odd ? how.random.pick(oddPlaces) : safely(String(sample(schema, `${before}/{${name}}`, how)));
    return `${plain}/${value}`;
  });
}

function queryOf(endpoint: Endpoint, how: Sampling): string {
  const { random } = how;
  const parts: string[] = [];
  for (const { name, schema, required } of endpoint.queryParameters) {
    if (!required && !isGiven(name, how)) continue;
    const value =
      !how.careful && random.chance(0.4) ? random.pick(oddPlaces) : safely(String(sample(schema, name, how)));
    parts.push(`${name}=${value}`);
    if (!how.careful && random.chance(0.05)) parts.push(`${name}=${value}`);
  }
  if (!how.careful && random.chance(0.07))
    parts.push(random.pick(['__proto__=1', 'a[]=1&a[]=2', '&&&', '=', '%=%', 'x='.repeat(200)]));
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

/** Lone surrogates cannot be percent-encoded. */
const safely = (text: string): string => encodeURIComponent(text.toWellFormed());

function bodyOf(
  type: string,
  schema: Schema,
  headers: Record<string, string>,
  how: Sampling,
): Pick<Made, 'headers' | 'body'> {
  const { random } = how;
  let value = sample(schema, '', how);
  const way = how.careful ? 0 : random.next();
  if (way > 0.1) for (let times = 1 + random.below(3); times > 0; times--) value = mutate(value, random);
  let [contentType, body] = encode(type, value, how);
  if (way > 0.8 && typeof body === 'string') body = breakText(body, random);
  if (!how.careful && random.chance(0.06)) contentType = random.pick(oddTypes);
  const encoding: Record<string, string> =
    !how.careful && random.chance(0.05) ? { 'content-encoding': random.pick(oddEncodings) } : {};
  return { headers: { ...headers, ...(contentType && { 'content-type': contentType }), ...encoding }, body };
}

function encode(type: string, value: unknown, how: Sampling): [string, string | Uint8Array] {
  const { random, careful } = how;
  if (type === 'multipart/form-data' && (careful || random.chance(0.9))) return multipart(value, how);
  if (type !== 'application/x-www-form-urlencoded') return [type, JSON.stringify(value)];
  const fields = Object.entries(Object(value)).flatMap(([name, item]): [string, string][] =>
    !careful && random.chance(0.03)
      ? [
          [name, text(item)],
          [name, text(item)],
        ]
      : [[name, text(item)]],
  );
  return [type, new URLSearchParams(fields).toString()];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function multipart(value: unknown, { random, careful }: Sampling): [string, string | Uint8Array] {
  const odd = (share: number) => !careful && random.chance(share);
  const boundary = odd(0.1) ? random.pick(['', '"', 'x'.repeat(200), 'a b']) : 'fuzz-boundary';
  const parts = Object.entries(Object(value)).map(([name, item]) => {
    const file = /^(file|data|image|mask)$/.test(name)
      ? `; filename="${odd(0.2) ? text(nasty(random)).slice(0, 99) : 'a.wav'}"`
      : '';
    const head = odd(0.05) ? 'Content-Disposition: nonsense' : `Content-Disposition: form-data; name="${name}"${file}`;
    return `--${boundary}\r\n${head}\r\n\r\n${text(item).slice(0, 100_000)}\r\n`;
  });
  const end = odd(0.1) ? '' : `--${boundary}--\r\n`;
  return [`multipart/form-data; boundary=${boundary}`, parts.join('') + end];
}

/** Every request has its own random numbers, so that a single one can be repeated. */
export const randomOf = (seed: number, index: number): Random =>
  seeded(Math.imul(seed, 0x9e3779b1) + index * 0x85ebca6b);
