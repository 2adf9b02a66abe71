import type { ManualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { connectClient } from '../mcp/mcp.fixture.ts';
import { Talk } from '../relay/realtime/realtime.fixture.ts';
import type { SeenRequest } from '../relay/scripted-upstream.fixture.ts';
import type { LastingWorld } from './lasting-work.fixture.ts';

/** What costs money, of every kind that a key can ask for. */

/** Added to the models of a lasting world. */
export const otherModels = [
  { model_id: 'vectors', type: 'embedding', prompt_price: 2.5, completion_price: 0 },
  { model_id: 'pictures', type: 'image', request_price: 0.000_21 },
  { model_id: 'parts', prices: { prompt: 3.3, completion: 7.7, cache_read: 0.3, reasoning: 11.1, request: 0.000_003 } },
  { model_id: 'free', prompt_price: 0, completion_price: 0 },
];

const otherUsage = { prompt_tokens: 301, completion_tokens: 77, total_tokens: 378 };
export function otherAnswer({ path, body }: SeenRequest): Response {
  const { model, stream } = body as { model: string; stream?: boolean };
  if (path.endsWith('/embeddings')) {
    const data = [0, 1].map((index) => ({ object: 'embedding', index, embedding: [index, 1] }));
    return Response.json({ object: 'list', data, model, usage: { prompt_tokens: 3, total_tokens: 3 } });
  }
  if (path.endsWith('/images/generations'))
    return Response.json({ created: 1, data: [{ b64_json: pixel }, { b64_json: pixel }] });
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }];
  const usage = {
    ...otherUsage,
    prompt_tokens_details: { cached_tokens: 101 },
    completion_tokens_details: { reasoning_tokens: 33 },
  };
  if (!stream) return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
  throw new Error('not asked');
}
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const chat = (fields: object = {}) => ({
  ...{ model: 'tokens', max_tokens: 100, messages: [{ role: 'user', content: 'fine 7' }], ...fields },
});
const film = { model: 'film', prompt: 'a storm', duration: 4 };

/** What somebody with a key asks at one time. */
export async function traffic(send: (path: string, body: unknown) => Promise<Response>): Promise<void> {
  const ask = async (path: string, body: unknown) => {
    const answer = await send(path, body);
    const text = await answer.text();
    return { status: answer.status, text };
  };
  const said = (content: string) => ({ messages: [{ role: 'user', content }] });
  const asked: [string, object][] = [
    ['/v1/chat/completions', chat()],
    ['/v1/chat/completions', chat({ model: 'm' })],
    ['/v1/chat/completions', chat({ stream: true })],
    ['/v1/chat/completions', chat({ stream: true, ...said('cut 9') })],
    ['/v1/chat/completions', chat(said('fail 1'))],
    ['/v1/chat/completions', chat(said('bad 1'))],
    ['/v1/chat/completions', chat({ model: 'parts', ...said('fine 31') })],
    ['/v1/chat/completions', chat({ model: 'free' })],
    ['/v1/messages', chat()],
    ['/v1/responses', { model: 'tokens', input: 'fine 3', background: true }],
    ['/v1/embeddings', { model: 'vectors', input: ['one', 'two'] }],
    ['/v1/images/generations', { model: 'pictures', prompt: 'a cat', n: 2 }],
    ['/v1/videos', film],
  ];
  const answers = await Promise.all(asked.map(async ([path, body]) => ({ path, body, ...(await ask(path, body)) })));
  // Keys that keep answers have this one.
  await ask(...asked[0]!);
  for (const { path, body, status, text } of answers)
    if (!/fail 1|bad 1|cut 9/.test(JSON.stringify(body)) && status >= 300) throw new Error(`${path} ${status} ${text}`);
}

export const bearer = (world: LastingWorld, key: string) => (path: string, body: unknown) =>
  world.t.call(path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });

export async function batchOf(world: LastingWorld, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const lines = ['fine 1', 'fine 9', 'bad 1'].map((content, n) =>
    JSON.stringify({
      ...{ custom_id: `${n}`, method: 'POST', url: '/v1/chat/completions' },
      body: chat({ messages: [{ role: 'user', content }] }),
    }),
  );
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new File([lines.join('\n')], 'in.jsonl'));
  const file = await world.t.call('/v1/files', { method: 'POST', headers, body: form });
  const { id } = (await file.json()) as { id: string };
  const made = await bearer(world, key)('/v1/batches', {
    ...{ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  if (made.status !== 200) throw new Error(await made.text());
  await made.text();
}

export async function talk(world: LastingWorld, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const one = new Talk(`ws://127.0.0.1:${world.port}/v1/realtime?model=voice`, { headers });
  await one.told('session.created');
  for (const instructions of ['whole', 'open']) one.say({ type: 'response.create', response: { instructions } });
  await one.told('response.created', 2);
  one.socket.close();
}

export async function tool(world: LastingWorld, key: string): Promise<void> {
  const { client } = await connectClient(world.t, '/mcp/tools', key);
  await client.callTool({ name: 'dear', arguments: {} });
  await client.close();
}

export async function ended(world: LastingWorld, clock: ManualClock): Promise<void> {
  const { db } = world.t.platform.database;
  await until('nothing is under way', async () => {
    clock.advance(5_000);
    const batches = await db.selectFrom('batches').select('id').where('ended_at', 'is', null).execute();
    const holds = await db.selectFrom('billing_holds').select('request_id').execute();
    const metrics = await (await world.t.call('/metrics')).text();
    const still = /^svc_realtime_sessions 0$/m.test(metrics) && /^svc_held_quota 0$/m.test(metrics);
    const jobs = [...metrics.matchAll(/^svc_jobs\{queue="([^"]+)"\} (\d+)/gm)].filter(
      ([, queue]) => !/expire|delete|sweep|callback/.test(queue!),
    );
    return batches.length + holds.length === 0 && still && jobs.every(([, , n]) => n === '0');
  });
}
