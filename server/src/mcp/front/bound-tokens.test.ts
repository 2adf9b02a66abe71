import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { newProver, type Prover } from '../../oauth/dpop/dpop.fixture.ts';
import { jsonOf, newVerifier, type TestClient } from '../../oauth/oauth.fixture.ts';
import { costOfOne, openPayingTest, type PayingTest, refusalOf } from '../../oauth/paying.fixture.ts';
import { s256 } from '../../oauth/pkce.ts';
import { administration, type McpTestServer, startMcp } from '../mcp.fixture.ts';

/* Tokens that are bound to a key (RFC 9449) pay as others do, with a proof for each use. */

let t: PayingTest;
let server: McpTestServer;
let prover: Prover;
const price = 700;

beforeAll(async () => {
  t = await openPayingTest({ ALLOW_PRIVATE_WEBHOOKS: '1' });
  await t.setOption('RateLimitEnabled', false);
  prover = await newProver(t);
  server = startMcp([{ name: 'dear' }]);
  const admin = administration(await t.root());
  const { id } = await admin.connect('shop', server.url);
  const { tools } = await admin.test(id);
  const priced = tools.map(({ name, definition }) => ({ name, definition, price }));
  await admin.send('PUT', `/${id}/tools`, { tools: priced });
});
afterAll(async () => {
  server.stop();
  await t.close();
});

/** A token of a client that may spend so much at this address, bound to the prover's key. */
async function boundTo(
  path: string,
  fields: { scope?: string; spending_limit?: number },
): Promise<{ token: string; client: TestClient }> {
  const client = await t.payingClient();
  const verifier = newVerifier();
  const code = await t.code(client, {
    ...{ scope: 'openid models:use', resource: `${t.config.baseUrl}${path}`, ...fields },
    ...{ code_challenge: s256(verifier), code_challenge_method: 'S256' },
  });
  const given = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri };
  const whole = { ...given, client_id: client.clientId, client_secret: client.secret };
  const proof = { dpop: await prover.prove('/api/oauth2/token') };
  const answer = await jsonOf(t.post('/api/oauth2/token', whole, proof));
  expect(answer.token_type).toBe('DPoP');
  return { token: answer.access_token, client };
}

const proven = async (path: string, token: string, by = prover) => ({
  authorization: `DPoP ${token}`,
  dpop: await by.prove(path, { token }),
});

const callTool = (path: string, headers: Record<string, string>, name: string, args: object = {}) =>
  t.call(path, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });
const resultOf = async (answer: Response | Promise<Response>) => {
  const text = await (await answer).text();
  const { result } = JSON.parse(text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)![1]!);
  return result as { isError?: boolean; content: { text: string }[] };
};

test("a paid tool is charged to the application's spending limit", async () => {
  const path = '/mcp/shop';
  const { token, client } = await boundTo(path, { spending_limit: price });
  const calls = server.calls.length;
  const paid = await resultOf(callTool(path, await proven(path, token), 'dear'));
  expect([paid.isError, paid.content[0]!.text]).toEqual([undefined, 'dear says hello']);
  await until('it is spent', async () => (await t.consentOf(client)).spent === price);
  const short = await resultOf(callTool(path, await proven(path, token), 'dear'));
  expect([short.isError, short.content[0]!.text]).toEqual([true, expect.stringContaining('was not called')]);
  expect(server.calls.length).toBe(calls + 1);
});

test("a bound token can use models through the service's own tools", async () => {
  const path = '/mcp/svc';
  const { token, client } = await boundTo(path, { spending_limit: 100_000 });
  const asked = await callTool(path, await proven(path, token), 'ask_model', { model: 'm', message: 'hi' });
  const { isError, content } = await resultOf(asked);
  expect([isError, content[0]!.text]).toEqual([undefined, expect.stringContaining('hello')]);
  await until('it is spent', async () => (await t.consentOf(client)).spent === costOfOne);
});

test('a bound token can use models at their own endpoint', async () => {
  const path = '/v1/chat/completions';
  const { token, client } = await boundTo('/v1', { spending_limit: 1_000 });
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
  const ask = (headers: Record<string, string>) => t.call(path, { method: 'POST', body, headers });
  // Cold, and then from what is remembered.
  for (const spent of [costOfOne, 2 * costOfOne]) {
    expect((await ask(await proven(path, token))).status).toBe(200);
    await until('it is spent', async () => (await t.consentOf(client)).spent === spent);
  }
  const good = await proven(path, token);
  const thief = await newProver(t);
  const stolen: Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}`, dpop: good.dpop },
    { authorization: `DPoP ${token}` },
    { 'x-api-key': token, dpop: good.dpop },
    await proven(path, token, thief),
    await proven('/v1/messages', token),
  ];
  for (const headers of stolen) expect(await refusalOf(ask(headers))).toEqual([401, 'invalid_api_key']);
  expect((await ask(good)).status).toBe(200);
  expect(await refusalOf(ask(good))).toEqual([401, 'invalid_api_key']);
  // A key and a token that nothing is bound to are no such token.
  const plain = await t.mayPay(await t.payingClient(), 1_000);
  for (const other of [plain.access_token, await t.member.key()])
    expect(await refusalOf(ask(await proven(path, other)))).toEqual([401, 'invalid_api_key']);
  expect((await t.consentOf(client)).spent).toBeLessThanOrEqual(3 * costOfOne);
});

test('a stolen token, or one that may not spend, cannot pay', async () => {
  const path = '/mcp/shop';
  const calls = server.calls.length;
  const { token, client } = await boundTo(path, { spending_limit: price });
  const used = await proven(path, token);
  const thief = await newProver(t);
  const stolen: Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}`, dpop: used.dpop },
    { authorization: `DPoP ${token}` },
    await proven(path, token, thief),
    await proven('/mcp', token),
  ];
  for (const headers of stolen) expect((await callTool(path, headers, 'dear')).status).toBe(401);
  expect([server.calls.length, (await t.consentOf(client)).spent]).toEqual([calls, 0]);
  expect((await resultOf(callTool(path, used, 'dear'))).isError).toBeUndefined();
  expect((await callTool(path, used, 'dear')).status).toBe(401);

  const { token: poor } = await boundTo(path, { scope: 'openid' });
  const refused = await resultOf(callTool(path, await proven(path, poor), 'dear'));
  expect([refused.isError, refused.content[0]!.text]).toEqual([true, expect.stringContaining('models:use')]);
  expect(server.calls.length).toBe(calls + 1);
});
