/** The process runs out of descriptors: its own trouble, and no failure of a provider. */
import { expect, test } from 'bun:test';
import { says } from './relay-replies.ts';
import { startService } from './service.ts';
import { startUpstream } from './upstream.ts';

const limitOf = (pid: number, limit: string): boolean =>
  Bun.spawnSync(['prlimit', '--pid', `${pid}`, `--nofile=${limit}`]).exitCode === 0;

test.skipIf(!Bun.which('prlimit'))(
  'without free file descriptors callers get 503, and no circuit opens',
  async () => {
    const script = says('openai', { text: 'hello to you' });
    const vector = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], model: 'm' };
    const upstream = startUpstream(async (asked) => {
      const answer = asked.path.endsWith('/embeddings') ? Response.json(vector) : await script(asked);
      // So that every call takes a connection of its own.
      answer.headers.set('connection', 'close');
      return answer;
    });
    const service = await startService();
    const chat = await service.serve({ kind: 'openai', url: upstream.url });
    const embedding = await service.serve({ kind: 'openai', url: upstream.url, type: 'embedding' });
    const ask = async (stream: boolean) => {
      const messages = [{ role: 'user', content: 'hi' }];
      const answer = await service.post('/v1/chat/completions', { model: chat.modelId, stream, messages });
      return { status: answer.status, text: await answer.text() };
    };
    const embed = async () => {
      const answer = await service.post('/v1/embeddings', { model: embedding.modelId, input: 'hi' });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await ask(false)).status).toBe(200);
    // Bun makes the thread behind fetch at the first call, and cannot do without.
    expect((await embed()).status).toBe(200);

    // No further descriptor has a number below this; those that are open stay.
    expect(limitOf(service.pid(), '3:')).toBe(true);
    const asked = upstream.asked.length;
    for (let i = 0; i < 7; i++)
      for (const { status, text } of [await ask(i % 2 === 0), await embed()]) {
        expect(text).toContain('"code":"unavailable"');
        expect(status).toBe(503);
      }
    expect(upstream.asked.length).toBe(asked);

    expect(limitOf(service.pid(), '1024:')).toBe(true);
    expect((await ask(false)).status).toBe(200);
    const open = /^svc_circuits\{state="open"\} (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text());
    expect(open?.[1]).toBe('0');
    upstream.stop();
    await service.stop();
  },
  300_000,
);
