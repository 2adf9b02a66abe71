/** Responses when their process is killed, as OpenAI's client sees it: chains continue, and another process finishes background work. */
import { afterAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { hasBoth, ownDatabase } from './own-database.ts';
import { openaiChunk, says } from './relay-replies.ts';
import { type Service, startService, until } from './service.ts';
import { events, startUpstream } from './upstream.ts';

const missing = !(await hasBoth());
if (missing) console.warn('skipped: PostgreSQL or Redis is missing, so responses of two processes were not tested');

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

interface UsageRow {
  request_id: string;
  status: string;
  prompt_tokens: number;
  completion_tokens: number;
}

/** Starts at the first process; `next` returns the process that continues after the first was killed. */
async function story(first: Service, next: () => Promise<Service>): Promise<void> {
  const whole = says('openai', { text: 'All is well.', usage: { input: 11, output: 7 } });
  const upstream = startUpstream(whole);
  closers.push(() => upstream.stop());
  const { modelId: model } = await first.serve({
    ...{ kind: 'openai', url: upstream.url, promptPrice: 1, completionPrice: 2 },
  });
  const { key } = first;
  const clientOf = ({ url }: Service) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  const openai = clientOf(first);
  const one = await openai.responses.stream({ model, input: 'one' }).finalResponse();
  const two = await openai.responses.create({ model, input: 'two', previous_response_id: one.id });

  // Sends one word and then stalls until the process is killed.
  upstream.script = (asked) => events(asked, [openaiChunk({ content: 'lost' })], { stallAfter: 1 });
  const working = await openai.responses.create({
    ...{ model, input: 'three', previous_response_id: two.id, background: true },
  });
  await until('its model says something', () => upstream.last().body.stream === true && upstream.last().sent > 0);
  await first.kill('SIGKILL');
  upstream.script = whole;
  const other = await next();
  const client = clientOf(other);

  const stream = client.responses.stream({ response_id: working.id });
  const final = await stream.finalResponse();
  expect(final).toMatchObject({ id: working.id, status: 'completed', output_text: 'All is well.' });
  const messages = upstream.last().body.messages as { role: string; content: string }[];
  expect(messages.map(({ content }) => content)).toEqual(['one', 'All is well.', 'two', 'All is well.', 'three']);
  const four = await client.responses.create({ model, input: 'four', previous_response_id: working.id });
  expect(upstream.last().body.messages).toHaveLength(7);
  expect(await client.responses.retrieve(four.id)).toMatchObject({ previous_response_id: working.id });

  // The final answer is charged once; the call of the killed process at most for its partial output.
  const { logs } = await other.root.api<{ logs: UsageRow[] }>('/api/usage/logs?page_size=100');
  const rows = logs.filter(({ request_id }) => request_id.startsWith(working.id));
  expect(rows.filter(({ status }) => status === 'ok')).toMatchObject([
    { request_id: `${working.id}-2`, prompt_tokens: 11, completion_tokens: 7 },
  ]);
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(rows.length);
}

test('stored and background responses survive a kill of the only process', async () => {
  const service = await startService();
  closers.push(() => service.stop());
  await story(service, async () => {
    await service.restart();
    return service;
  });
}, 300_000);

describe.skipIf(missing)('stored and background responses of two processes', () => {
  test('are continued by the other process', async () => {
    const { withRedis: env, drop } = await ownDatabase();
    const one = await startService({ env });
    closers.push(async () => {
      await one.stop();
      await drop();
    });
    await story(one, async () => {
      const two = await startService({ env });
      closers.push(() => two.stop());
      return two;
    });
  }, 300_000);
});
