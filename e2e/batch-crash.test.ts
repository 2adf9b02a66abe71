/** A batch through the death of the process that works on it: nothing lost, what was answered is neither asked nor paid again. */
import { afterAll, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { says } from './relay-replies.ts';
import { type Service, startService, until } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let service: Service | undefined;
let upstream: Upstream | undefined;
afterAll(async () => {
  await service?.stop();
  upstream?.stop();
});

const total = 20;
const answeredFirst = 5;

test('a batch continues after its process is killed and restarted', async () => {
  const seen = new Map<string, number>();
  const answer = says('openai', { text: 'fine' });
  let stuck = true;
  let given = 0;
  upstream = startUpstream(async (asked) => {
    const text = /number \d+/.exec(JSON.stringify(asked.body))![0];
    seen.set(text, (seen.get(text) ?? 0) + 1);
    if (stuck && given >= answeredFirst) return new Promise<Response>(() => {});
    given += 1;
    return answer(asked);
  });
  service = await startService();
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, promptPrice: 10, completionPrice: 20 });
  const user = await service.user(10_000_000);
  const apiKey = await user.key();
  const client = () => new OpenAI({ apiKey, baseURL: `${service!.url}/v1`, maxRetries: 0 });
  const lines = Array.from({ length: total }, (_, i) =>
    JSON.stringify({
      ...{ custom_id: `r${i}`, method: 'POST', url: '/v1/chat/completions' },
      body: { model: modelId, max_tokens: 10, messages: [{ role: 'user', content: `number ${i}` }] },
    }),
  );
  const file = await client().files.create({
    ...{ file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'), purpose: 'batch' },
  });
  const batch = await client().batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  await until('some are answered and others under way', async () => {
    const { request_counts: counts } = await client().batches.retrieve(batch.id);
    return counts!.completed === answeredFirst && seen.size === answeredFirst + 8;
  });
  await service.kill('SIGKILL');
  stuck = false;
  await service.restart();
  await until('it has ended', async () => (await client().batches.retrieve(batch.id)).status === 'completed');
  const done = await client().batches.retrieve(batch.id);
  expect(done.request_counts).toEqual({ total, completed: total, failed: 0 });
  const output = (await (await client().files.content(done.output_file_id!)).text()).trim().split('\n');
  expect(new Set(output.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)).size).toBe(total);
  // Only what was under way was asked twice.
  expect([...seen.values()].filter((times) => times > 1)).toHaveLength(8);
  expect([...seen.values()].every((times) => times <= 2)).toBeTrue();
  await until('there is one entry for each', async () => {
    const path = `/api/usage/logs?parent_request_id=${batch.id}&page_size=100`;
    return (await user.api<{ total: number }>(path)).total === total;
  });
}, 100_000);
