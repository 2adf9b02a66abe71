/**
 * Memory cost of an open stream: `bun bench/streams.ts [streams]`. Starts the service as a separate process, holds that
 * many streams open with a word per second each, and prints how much the process grew per stream.
 */
import { says } from '../e2e/relay-replies.ts';
import { startService, until } from '../e2e/service.ts';
import { startUpstream } from '../e2e/upstream.ts';

const streams = Number(process.argv[2] ?? 2_000);
const budgetKb = 30;
const words = Array.from({ length: 600 }, (_, i) => `word${i}`).join(' ');

const service = await startService();
const upstream = startUpstream(says('openai', { text: words }, { everyMs: 1_000 }));
const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, promptPrice: 1, completionPrice: 1 });
const { hostname, port } = new URL(service.url);
const body = JSON.stringify({
  model: modelId,
  messages: [{ role: 'user', content: 'Tell me a long story about a lighthouse keeper. '.repeat(20) }],
  stream: true,
  max_tokens: 10,
});
const request =
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.key}\r\n` +
  `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

let heard = 0;
/** Sockets instead of fetch, whose own cost is irrelevant here and which limits concurrent calls. */
async function open(): Promise<Bun.Socket<{ heard: boolean }>> {
  const socket = await Bun.connect<{ heard: boolean }>({
    hostname,
    port: Number(port),
    data: { heard: false },
    socket: {
      data(self, bytes) {
        if (self.data.heard || !bytes.includes('word0')) return;
        self.data.heard = true;
        heard += 1;
      },
    },
  });
  socket.write(request);
  return socket;
}

/** The lowest of several readings, since uncollected garbage is not a cost of the stream. */
async function restingRss(): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 8; i++) {
    lowest = Math.min(lowest, await service.rssBytes());
    await Bun.sleep(1_000);
  }
  return lowest;
}

// Warm up what all requests share before measuring: the tokenizer (needed when clients disconnect), compiled code,
// caches.
const quick = says('openai', { text: 'short' });
const slow = upstream.script;
for (let i = 0; i < streams; i += 50) {
  upstream.script = quick;
  const body = { model: modelId, messages: [{ role: 'user', content: 'hi' }], stream: true };
  await Promise.all(Array.from({ length: 50 }, async () => (await service.post('/v1/chat/completions', body)).text()));
}
upstream.script = slow;
const warm = await Promise.all(Array.from({ length: 50 }, open));
await until('the first streams run', () => heard === 50, 30_000);
for (const socket of warm) socket.terminate();
await until('the first streams are left', () => upstream.asked.slice(-50).every(({ aborted }) => aborted), 30_000);
heard = 0;
await Bun.sleep(3_000);
const before = await restingRss();
const sockets: Bun.Socket<{ heard: boolean }>[] = [];
while (sockets.length < streams) sockets.push(...(await Promise.all(Array.from({ length: 100 }, open))));
await until('every stream runs', () => heard >= streams, 60_000);
const during = await restingRss();
const perStream = (during - before) / 1024 / sockets.length;
console.log(
  `${sockets.length} open streams: ${(before / 2 ** 20).toFixed(0)} MB before, ${(during / 2 ** 20).toFixed(0)} MB with them`,
);
console.log(`${perStream.toFixed(1)} KB a stream (at most ${budgetKb})`);
for (const socket of sockets) socket.terminate();
await service.stop();
upstream.stop();
process.exit(perStream <= budgetKb ? 0 : 1);
