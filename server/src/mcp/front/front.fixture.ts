import { type Member, openTestApp, type TestApp } from '../../app.fixture.ts';
import { type ManualClock, manualClock } from '../../lib/clock.ts';
import {
  administration,
  connectClient,
  type McpTestServer,
  type ScriptedTool,
  startMcp,
  startRaw,
} from '../mcp.fixture.ts';

export const echo: ScriptedTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { properties: { text: { type: 'string' } }, required: ['text'] },
  further: { title: 'Echo', annotations: { readOnlyHint: true } },
  answer: ({ text }) => `you said ${text}`,
};

export interface FrontTest {
  t: TestApp;
  clock: ManualClock;
  user: Member;
  key: string;
  admin: ReturnType<typeof administration>;
  start(...given: Parameters<typeof startMcp>): McpTestServer;
  startRaw: typeof startRaw;
  /** A server with all its tools allowed. */
  connected(server: { url: string }, fields?: object, askFirst?: string[]): Promise<{ id: number; name: string }>;
  clientOf(path: string, mode?: 'legacy' | 'auto', by?: string): ReturnType<typeof connectClient>;
  post(path: string, message: unknown, headers?: Record<string, string>): Promise<Response>;
  /** What was listed a moment ago counts no more. */
  laterOn(): void;
  /** Ends what the last test began. */
  tidy(): Promise<void>;
}

/** The service with limits out of the way, a user with a key, and servers of the test's own behind it. */
export async function openFrontTest(): Promise<FrontTest> {
  const clock = manualClock(Date.UTC(2026, 0, 15, 12));
  const t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1', DEMO_PROVIDER: 'on' } });
  await t.setOption('RateLimitEnabled', false);
  const user = await t.user();
  const key = await user.key();
  const admin = administration(await t.root());
  const ending: (() => unknown)[] = [];
  let count = 0;
  const kept = <T extends { stop(): void }>(server: T): T => {
    ending.push(() => server.stop());
    return server;
  };
  return {
    ...{ t, clock, user, key, admin },
    start: (...given) => kept(startMcp(...given)),
    startRaw: (...given) => kept(startRaw(...given)),
    connected: async (server, fields = {}, askFirst = []) => {
      count += 1;
      const name = `f${count}`;
      const { id } = await admin.connect(name, server.url, fields);
      await admin.allow(id, undefined, askFirst);
      return { id, name };
    },
    clientOf: async (path, mode = 'auto', by = key) => {
      const made = await connectClient(t, path, by, mode);
      ending.unshift(() => made.client.close());
      return made;
    },
    post: (path, message, headers = {}) =>
      t.call(path, {
        method: 'POST',
        body: message,
        headers: { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream', ...headers },
      }),
    laterOn: () => clock.advance(11_000),
    tidy: async () => {
      for (const end of ending.splice(0)) await end();
      const { servers } = await admin.send<{ servers: { id: number }[] }>('GET', '?page_size=100');
      for (const { id } of servers) await admin.send('DELETE', `/${id}`);
    },
  };
}
