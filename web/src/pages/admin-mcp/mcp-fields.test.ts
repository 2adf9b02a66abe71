import { expect, test } from 'bun:test';
import { bodyOf, emptyServer, faultsOf, fieldsOf, ownAuthKinds } from './mcp-fields.ts';
import type { McpServer, McpTool } from './mcp-servers.ts';
import { choicesOf, priceFaultsOf, wantedOf } from './tool-choices.ts';

const filled = { ...emptyServer, name: 'files', url: 'https://mcp.example/mcp' };

test('reports missing and invalid fields', () => {
  expect(faultsOf(filled)).toEqual({});
  expect(Object.keys(faultsOf(emptyServer))).toEqual(['name', 'url']);
  expect(faultsOf({ ...filled, name: 'My files' })).toHaveProperty('name');
  expect(faultsOf({ ...filled, headers: 'Bearer abc' })).toHaveProperty('headers');
  expect(faultsOf({ ...filled, audience: 'users' })).toHaveProperty('userIds');
  for (const callsPerMinute of ['', 1.5, -1, 1_000_001])
    expect(faultsOf({ ...filled, callsPerMinute })).toHaveProperty('callsPerMinute');
  expect(faultsOf({ ...filled, callsPerMinute: 1_000_000 })).toEqual({});
  expect(faultsOf({ ...filled, audience: 'users', userIds: ['ulf'] })).toHaveProperty('userIds');
});

test('headers are read line by line, not sent when empty, and required again for another origin', () => {
  expect(bodyOf(filled)).not.toHaveProperty('headers');
  expect(bodyOf({ ...filled, headers: 'Authorization: Bearer a:b\n\n X-Team : red ' })).toMatchObject({
    headers: { Authorization: 'Bearer a:b', 'X-Team': 'red' },
  });
  expect(faultsOf({ ...filled, url: 'https://other.example/mcp' }, filled)).toHaveProperty('headers');
  expect(faultsOf({ ...filled, url: 'https://mcp.example/v2' }, filled)).toEqual({});
});

test('the client is sent only for OAuth; its secret is required again for another client or address', () => {
  const server = { ...filled, auth: 'oauth' as const };
  expect(bodyOf(server)).toMatchObject({ client_id: '' });
  expect(bodyOf({ ...server, clientId: ' app ' })).not.toHaveProperty('client_secret');
  expect(bodyOf({ ...server, clientId: 'app', clientSecret: ' s ' })).toMatchObject({
    ...{ client_id: 'app', client_secret: 's' },
  });
  // Whoever is not asked to sign in needs none.
  expect(bodyOf({ ...filled, clientId: 'app', clientSecret: 's' })).toMatchObject({ client_id: '' });
  expect(bodyOf({ ...filled, clientId: 'app', clientSecret: 's' })).not.toHaveProperty('client_secret');
  expect(bodyOf(filled)).not.toHaveProperty('client_id');
  expect(Object.keys(faultsOf({ ...server, clientSecret: 's' }))).toEqual(['clientId']);

  const before = { ...server, clientId: 'app', hasClientSecret: true };
  const faults = (change: object) => Object.keys(faultsOf({ ...before, ...change }, undefined, before));
  expect(faults({})).toEqual([]);
  expect(faults({ clientId: 'other' })).toEqual(['clientSecret']);
  expect(faults({ url: 'https://other.example/mcp' })).toEqual(['clientSecret']);
  expect(faults({ clientId: 'other', clientSecret: 's' })).toEqual([]);
  expect(faults({ clientId: '' })).toEqual([]);
});

test('enterprise authentication requires an identity provider and is not offered for own servers', () => {
  const server = { ...filled, auth: 'enterprise' as const, clientId: 'app', clientSecret: 's' };
  expect(Object.keys(faultsOf(server))).toEqual(['vouchedBy']);
  expect(faultsOf({ ...server, vouchedBy: 'company' })).toEqual({});
  expect(Object.keys(faultsOf({ ...server, vouchedBy: 'company', clientSecret: '' }))).toEqual(['clientSecret']);
  expect(bodyOf({ ...server, vouchedBy: 'company' })).toMatchObject({ auth: 'enterprise', vouched_by: 'company' });
  expect(bodyOf({ ...filled, vouchedBy: 'company' })).not.toHaveProperty('vouched_by');
  expect(ownAuthKinds.map(({ value }) => value)).not.toContain('enterprise');
});

test('client credentials require a client ID and either a secret or a private key', () => {
  const server = { ...filled, auth: 'client_credentials' as const };
  const key = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----';
  const faults = (fields: object, before?: typeof filled) =>
    Object.keys(faultsOf({ ...server, ...fields }, undefined, before));
  expect(faults({})).toEqual(['clientId']);
  expect(faults({ clientId: 'app' })).toEqual(['clientSecret']);
  expect(faults({ clientId: 'app', clientSecret: 's', clientKey: key })).toEqual(['clientKey']);
  expect(faults({ clientId: 'app', clientKey: 'abc' })).toEqual(['clientKey']);
  for (const entered of [{ clientSecret: 's' }, { clientKey: key }, { clientKey: '{"kty":"EC"}' }])
    expect(faults({ clientId: 'app', ...entered })).toEqual([]);
  expect(bodyOf({ ...server, clientId: 'app', clientKey: ` ${key}\n` })).toMatchObject({
    ...{ auth: 'client_credentials', client_id: 'app', client_key: key },
  });
  expect(bodyOf({ ...server, clientId: 'app', clientSecret: 's' })).not.toHaveProperty('client_key');

  const before = { ...server, clientId: 'app', hasClientKey: true };
  expect(faults(before, before)).toEqual([]);
  expect(faults({ ...before, clientId: 'other' }, before)).toEqual(['clientKey']);
  expect(faults({ ...before, url: 'https://other.example/mcp' }, before)).toEqual(['clientKey']);
  expect(faults({ ...before, clientId: 'other', clientSecret: 's' }, before)).toEqual([]);
});

test('a platform token requires a plain file name and no client', () => {
  const server = { ...filled, auth: 'jwt_bearer' as const };
  const faults = (fields: object) => Object.keys(faultsOf({ ...server, ...fields }));
  for (const assertionFile of ['', ' ', '../token', '/etc/token', '.token', 'a b', 'x'.repeat(101)])
    expect(faults({ assertionFile })).toEqual(['assertionFile']);
  expect(faults({ assertionFile: ' wiki-token.jwt ' })).toEqual([]);
  expect(faults({ assertionFile: 'token', clientSecret: 's' })).toEqual(['clientId']);
  expect(bodyOf({ ...server, assertionFile: ' token ' })).toMatchObject({
    auth: 'jwt_bearer',
    assertion_file: 'token',
  });
  expect(bodyOf({ ...server, auth: 'oauth', assertionFile: 'token' })).not.toHaveProperty('assertion_file');
  expect(ownAuthKinds.map(({ value }) => value)).toEqual(['headers', 'oauth', 'client_credentials']);
});

test('dropping a stored secret sends an empty one, and another client then needs none', () => {
  const before = { ...filled, auth: 'oauth' as const, clientId: 'app', hasClientSecret: true };
  const dropping = { ...before, dropsClientSecret: true, clientSecret: 'typed before' };
  expect(bodyOf(before)).not.toHaveProperty('client_secret');
  expect(bodyOf(dropping)).toMatchObject({ client_id: 'app', client_secret: '' });
  expect(faultsOf({ ...dropping, clientId: 'other', clientSecret: '' }, undefined, before)).toEqual({});
  expect(bodyOf({ ...dropping, auth: 'headers' })).not.toHaveProperty('client_secret');
});

test('offered resources and prompts are read from the server and sent back unchanged', () => {
  expect(bodyOf(filled)).toMatchObject({ offers: [] });
  const server = { ...{ url: 'https://mcp.example/mcp', client_id: '' }, user_ids: [], offers: ['prompts'] };
  expect(bodyOf(fieldsOf(server as unknown as McpServer))).toMatchObject({ offers: ['prompts'] });
});

test('audience and users are not sent for a user’s own server', () => {
  expect(bodyOf(filled)).toMatchObject({ audience: 'administrators', user_ids: [], auth: 'headers' });
  expect(Object.keys(bodyOf(filled, true)).sort()).toEqual(['auth', 'calls_per_minute', 'offers', 'timeout_ms', 'url']);
});

test('a changed tool keeps its approved definition until the change is approved', () => {
  const tool = { offered_as: '', description: '', input_schema: {}, further: {}, problem: null, changes: [] };
  const approved = { description: '', input_schema: {}, further: {}, ask_first: true };
  const tools: McpTool[] = [
    { ...tool, name: 'new', state: 'new', definition: 'n', approved: null },
    { ...tool, name: 'changed', state: 'changed', definition: 'b', approved },
  ];
  const allowed = [{ name: 'changed', offered_as: '', ask_first: true, definition: 'a', price: 700 }];
  const server = { tools: allowed, owner_id: 7 };
  const choices = choicesOf(tools, server);
  expect(wantedOf(tools, choices, server)).toEqual([{ name: 'changed', definition: 'a', ask_first: true }]);
  choices.new!.allowed = true;
  choices.changed!.approve = true;
  expect(wantedOf(tools, choices, server)).toEqual([
    { name: 'new', definition: 'n', ask_first: false },
    { name: 'changed', definition: 'b', ask_first: true },
  ]);
});

test('prices are exact to the unit; invalid prices are rejected', () => {
  const tool = { offered_as: '', description: '', input_schema: {}, further: {}, problem: null, changes: [] };
  const approved = { description: '', input_schema: {}, further: {}, ask_first: false };
  const tools: McpTool[] = [{ ...tool, name: 'dear', state: 'approved', definition: 'd', approved }];
  const allowed = [{ name: 'dear', offered_as: '', ask_first: false, definition: 'd', price: 700 }];
  const server = { tools: allowed, owner_id: null };
  const choices = choicesOf(tools, server);
  expect(wantedOf(tools, choices, server)).toMatchObject([{ name: 'dear', price: 700 }]);
  expect(priceFaultsOf(choices)).toEqual({});
  for (const usd of ['', '-', -1, 2_000_001])
    expect(priceFaultsOf({ dear: { ...choices.dear!, usd } })).toHaveProperty('dear');
  expect(priceFaultsOf({ dear: { ...choices.dear!, allowed: false, usd: '' } })).toEqual({});
});
