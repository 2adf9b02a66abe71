/** What stops the service from starting, and how it stops. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import runtimeEnvironment from '../server/src/runtime-environment.json' with { type: 'json' };
import { program } from './program.ts';
import { says } from './relay-replies.ts';
import { freePort, startService, until } from './service.ts';
import { silence, startUpstream } from './upstream.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const folder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'svc-start-')));
  return folders.at(-1)!;
};

/** Runs the service until it ends by itself, which it must. */
async function attempt(env: Record<string, string>): Promise<{ code: number; said: string; printed: string }> {
  const child = Bun.spawn(program, {
    env: {
      PATH: process.env.PATH ?? '',
      ...runtimeEnvironment,
      PORT: `${freePort()}`,
      DATA_DIR: folder(),
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const code = await child.exited;
  return { code, said: await new Response(child.stderr).text(), printed: await new Response(child.stdout).text() };
}

describe('startup', () => {
  test('an invalid configuration reports all faults at once and exits with 1', async () => {
    const { code, said } = await attempt({ PORT: 'x', WORKERS: '3', BASE_URL: 'nonsense', DEMO_PROVIDER: 'perhaps' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'WORKERS', 'BASE_URL', 'DEMO_PROVIDER']) expect(said).toContain(name);
  });

  test('an unreachable database gives a clear message without the password, and exits with 1', async () => {
    const { code, said } = await attempt({ DATABASE_URL: `postgres://svc:hunter2@127.0.0.1:${freePort()}/svc` });
    expect(code).toBe(1);
    expect(said).toContain('The database cannot be reached');
    expect(said).not.toContain('hunter2');
  });

  test('several workers that cannot start say why once and exit with 1, like a single process', async () => {
    const nothing = `127.0.0.1:${freePort()}`;
    const env = {
      WORKERS: '2',
      DATABASE_URL: `postgres://svc:hunter2@${nothing}/svc`,
      REDIS_URL: `redis://${nothing}`,
    };
    const { code, said, printed } = await attempt(env);
    expect(code).toBe(1);
    expect(said).toMatch(/^The database cannot be reached: [^\n]+\n$/);
    expect(said + printed).not.toContain('hunter2');
    expect(printed).not.toContain('restarting');
  }, 60_000);

  test('a data folder that cannot be written gives a clear message and exits with 1', async () => {
    const { code, said } = await attempt({ DATA_DIR: '/proc/nowhere' });
    expect(code).toBe(1);
    expect(said).toContain('/proc/nowhere');
  });

  test('a second process on the same folder exits and names the first; after a SIGKILL the folder is free again', async () => {
    const service = await startService({ dataDir: folder() });
    const refused = await attempt({ DATA_DIR: service.dataDir });
    expect(refused.code).toBe(1);
    expect(refused.said).toMatch(/Another process \(pid \d+/);
    const { port } = new URL(service.url);
    expect(await attempt({ PORT: port })).toEqual({
      code: 1,
      // The next start on this folder finds the user that this one created, and prints nothing.
      printed: expect.stringMatching(/root with password \S{20} \(shown only once\)/),
      said: expect.stringMatching(new RegExp(`^The service cannot listen on port ${port} of 127.0.0.1: [^\\n]+\\n$`)),
    });
    await service.kill('SIGKILL');
    await service.restart();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.stop();
  });
});

test('SIGTERM lets a running stream finish, and exits with 0', async () => {
  const service = await startService();
  const response = await service.post('/v1/chat/completions', {
    model: 'demo/chat',
    stream: true,
    messages: [{ role: 'user', content: 'Tell me about the built-in provider.' }],
  });
  const reader = response.body!.getReader();
  await reader.read();
  const exited = service.kill('SIGTERM');
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += new TextDecoder().decode(part.value);
  expect(text).toContain('[DONE]');
  expect(await exited).toBe(0);
  await service.stop();
});

test('at the end of the drain, open requests get an error in their own format and are charged for what was generated', async () => {
  const stalled = says('openai', { text: 'one two three four five six' }, { stallAfter: 6 });
  const upstream = startUpstream((asked) => (asked.body.stream ? stalled(asked) : silence()));
  const service = await startService({ env: { DRAIN_SECONDS: '1' } });
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, completionPrice: 1_000 });
  for (const name of ['MsPlanModel', 'MsEasyModel', 'MsMediumModel', 'MsHardModel'])
    await service.root.api('/api/admin/options', { method: 'PUT', body: { key: name, value: modelId } });
  const user = await service.user(10_000_000);
  const key = await user.key();
  const begin = async (path: string, stream: boolean, model = modelId) => {
    const messages = [{ role: 'user', content: 'hi' }];
    const answer = await service.post(path, { model, stream, max_tokens: 50, messages }, { key });
    return { status: answer.status, text: answer.text() };
  };
  const [chat, messages] = await Promise.all([begin('/v1/chat/completions', true), begin('/v1/messages', true)]);
  const orchestra = await begin('/v1/chat/completions', true, 'svc/svc-ms');
  const whole = begin('/v1/chat/completions', false);
  await until('the upstream was asked by all', () => upstream.asked.length >= 4);
  expect(await service.kill('SIGTERM')).toBe(0);
  const told = /\n\ndata: \{[^\n]*"error":\{[^\n]*"code":"unavailable"[^\n]*\n\n$/;
  for (const [{ status, text }, error] of [
    [chat, told],
    [orchestra, told],
    [messages, /event: error\ndata: \{"type":"error"[^\n]*shutting down[^\n]*\n\n$/],
  ] as const) {
    expect([status, await text]).toEqual([200, expect.stringMatching(error)]);
    expect(await text).toContain('three');
  }
  const refused = await whole;
  expect([refused.status, await refused.text]).toEqual([503, expect.stringContaining('"code":"unavailable"')]);
  upstream.stop();
  await service.restart();
  const { logs } = await user.api<{ logs: { status: string; quota: number }[] }>('/api/usage/logs');
  expect(logs.map(({ status }) => status).sort()).toEqual(['aborted', 'interrupted', 'interrupted']);
  const self = await service.self(user);
  expect(self.used_quota).toBeGreaterThan(0);
  expect(self.quota + self.used_quota).toBe(10_000_000);
  await service.stop();
}, 300_000);

test('at the end of the drain, whoever waits for an execution is told that it continues', async () => {
  const upstream = startUpstream(() => silence());
  const service = await startService({ env: { DRAIN_SECONDS: '1' } });
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url });
  for (const name of ['MsPlanModel', 'MsEasyModel', 'MsMediumModel', 'MsHardModel'])
    await service.root.api('/api/admin/options', { method: 'PUT', body: { key: name, value: modelId } });
  const goal = { message: 'Write a poem.', session_id: 'waiting', stream_events: false };
  const waiting = service.post('/api/svc-ms/autonomous/execute', goal).then(async (answer) => ({
    ...{ status: answer.status, body: await answer.json() },
  }));
  await until('the upstream was asked', () => upstream.asked.length > 0);
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(await waiting).toEqual({
    status: 503,
    body: { success: false, message: expect.stringContaining('The execution continues') },
  });
  upstream.stop();
  await service.stop();
}, 300_000);
