import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { openTestApp, type TestApp } from './app.fixture.ts';
import { catchUp } from './billing/store/filing.ts';

/* Whoever sends a request slowly may have lost the key before its end: then nothing is done, and nothing is paid. */

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
  await t.setOption('RateLimitEnabled', false);
});
afterAll(() => t.close());

const model = 'demo/chat';
const messages = [{ role: 'user', content: 'hi' }];
const requests: Record<string, object> = {
  '/v1/chat/completions': { model, messages },
  '/v1/completions': { model, prompt: 'hi' },
  '/v2/chat': { model, messages },
  '/v1/messages': { model, max_tokens: 5, messages },
  '/v1/messages/count_tokens': { model, messages },
  '/v1/responses': { model, input: 'hi' },
  '/v1/responses/input_tokens': { model, input: 'hi' },
  '/v1beta/models/demo/chat:generateContent': { contents: [{ parts: [{ text: 'hi' }] }] },
  '/v1/embeddings': { model: 'demo/embed', input: 'hi' },
  '/v1/images/generations': { model: 'demo/image', prompt: 'hi' },
  '/v1/audio/speech': { model: 'demo/speech', input: 'hi', voice: 'alloy' },
  '/v1/moderations': { model: 'demo/moderation', input: 'hi' },
  '/v1/rerank': { model: 'demo/rerank', query: 'hi', documents: ['a'] },
  '/v1/videos': { model: 'demo/video', prompt: 'hi' },
  '/v1/batches': { input_file_id: 'file-a', endpoint: '/v1/embeddings', completion_window: '24h' },
  '/v1/conversations': {},
  '/api/svc-ms/knowledge': { category: 'a', title: 'b', content: 'c' },
};
const forms: Record<string, string> = {
  '/v1/files': 'file',
  '/v1/anthropic/files': 'file',
  '/v1/audio/transcriptions': 'file',
  '/v1/images/edits': 'image',
  '/api/svc-ms/knowledge/import': 'file',
};

async function formOf(field: string): Promise<{ type: string; bytes: Uint8Array }> {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('model', 'demo/transcribe');
  form.set(field, new File(['It is known.'], 'paper.txt'));
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type')!, bytes: await encoded.bytes() };
}

const ends = {
  'the key was deleted': async (user: Member, key: number) => user.call(`/api/tokens/${key}`, { method: 'DELETE' }),
  'the user was disabled': async ({ id }: Member) =>
    (await t.root()).call(`/api/admin/users/${id}`, { method: 'PUT', body: { status: 2 } }),
};
type Member = Awaited<ReturnType<TestApp['user']>>;
const cases = [...Object.keys(requests), ...Object.keys(forms)].flatMap((path) =>
  (Object.keys(ends) as (keyof typeof ends)[]).map((end) => [path, end] as const),
);

test.each(cases)('%s is refused if it arrives after %s', async (path, end) => {
  const user = await t.user();
  const made = await user.call('/api/tokens', { method: 'POST', body: { name: 'slow' } });
  const { id, key } = ((await made.json()) as { data: { id: number; key: string } }).data;
  const { type, bytes } = forms[path]
    ? await formOf(forms[path])
    : { type: 'application/json', bytes: Buffer.from(JSON.stringify(requests[path])) };
  const [reading, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const body = new ReadableStream({
    pull: async (controller) => {
      reading.resolve();
      await go.promise;
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const answer = t.app.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body }));
  await reading.promise;
  expect((await ends[end](user, id)).status).toBe(200);
  go.resolve();
  expect((await answer).status).toBe(401);
  const { db } = t.platform.database;
  await catchUp(db);
  for (const table of ['usage_logs', 'files', 'ms_sources']) {
    const { rows } = await sql`select 1 from ${sql.table(table)} where user_id = ${user.id}`.execute(db);
    expect(rows).toHaveLength(0);
  }
});
