import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { administration, connectClient, type ScriptedTool } from './mcp.fixture.ts';
import { SentTokens } from './sent-tokens.ts';
import { type SignedInServer, startSignedIn } from './signed-in.fixture.ts';

/* Tokens that were issued to the service, or to a user for the service, do not reach callers. */

let t: TestApp;
let server: SignedInServer;
let root: Member;

const sentIn = (context: Parameters<NonNullable<ScriptedTool['answer']>>[1]): string =>
  context.http?.req?.headers.get('authorization') ?? '';
/** What servers that are written carelessly, or maliciously, do with the token. */
const telling: ScriptedTool[] = [
  { name: 'result', answer: (_, context) => `you sent ${sentIn(context)}` },
  {
    name: 'structured',
    answer: (_, context) => ({ content: [], structuredContent: { headers: [{ authorization: sentIn(context) }] } }),
  },
  {
    name: 'error',
    answer: (_, context) => {
      throw Object.assign(new Error(`not with ${sentIn(context)}`), { code: -32_050, data: sentIn(context) });
    },
  },
  {
    name: 'log',
    answer: async (_, context) => {
      await context.mcpReq.log('warning', `somebody sent ${sentIn(context)}`);
      return 'done';
    },
  },
];

beforeAll(async () => {
  t = await openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(() => t.close());

const ways: [string, object][] = [
  ['client_credentials', { auth: 'client_credentials', client_id: 'app', client_secret: 'never+shown/again=' }],
  ['oauth', { auth: 'oauth' }],
];

async function signIn(id: number): Promise<void> {
  const began = await root.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  const { data } = (await began.json()) as { data: { authorization_url: string } };
  const state = new URL(data.authorization_url).searchParams.get('state')!;
  expect((await root.call(`/api/mcp/authorized?${new URLSearchParams({ state, code: 'alice' })}`)).status).toBe(303);
}

test.each(ways)('a server with %s that repeats the token it was sent does not reveal it', async (auth, fields) => {
  server = startSignedIn();
  if (auth === 'client_credentials') server.byHand = { app: 'never+shown/again=' };
  server.behind.tools = telling;
  const admin = administration(root);
  const name = auth.replace('_', '-');
  const { id } = await admin.connect(name, server.url, fields);
  if (auth === 'oauth') await signIn(id);
  await admin.allow(id);

  for (const mode of ['legacy', 'auto'] as const) {
    const { client } = await connectClient(t, `/mcp/${name}`, await root.key(), mode);
    const logged: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data));
    for (const tool of telling) {
      const told = await client.callTool({ name: tool.name, arguments: {} }).catch((error) => ({
        ...{ message: error.message, data: error.data },
      }));
      expect([tool.name, JSON.stringify(told)]).toEqual([tool.name, expect.not.stringContaining('token-')]);
    }
    expect(JSON.stringify(logged)).not.toContain('token-');
    await client.close();
  }
  const asking = { signal: new AbortController().signal, approved: true };
  for (const tool of ['result', 'structured', 'error']) {
    const { text } = await t.app.mcp.tools.call({ userId: root.id, keyId: null }, `${name}__${tool}`, {}, asking);
    expect([tool, text]).toEqual([tool, expect.stringContaining('[redacted]')]);
  }
  // It was the real one that was sent.
  expect(server.behind.heard.at(-1)!.get('authorization')).toMatch(/^Bearer token-/);
  server.stop();
});

test('the last two tokens of each user are known, as long as there are not too many', () => {
  const tokens = new SentTokens();
  const ofUsers = { id: 1, auth: 'oauth' } as const;
  for (const token of ['short', 'first-one', 'second-one', 'second-one', 'third-one']) tokens.note(ofUsers, 7, token);
  expect(tokens.of(ofUsers, 7)).toEqual(['third-one', 'second-one']);
  expect(tokens.of(ofUsers, 8)).toEqual([]);
  const ofAll = { id: 2, auth: 'client_credentials' } as const;
  tokens.note(ofAll, null, 'shared-by-all');
  expect([tokens.of(ofAll, 7), tokens.of(ofAll, null)]).toEqual([['shared-by-all'], ['shared-by-all']]);
  for (let user = 100; user < 10_200; user += 1) tokens.note(ofUsers, user, `token-of-${user}`);
  expect(tokens.of(ofUsers, 7)).toEqual([]);
  expect(tokens.of(ofUsers, 10_199)).toEqual(['token-of-10199']);
});
