/** A thousand readers of one run: each gets every event, and memory does not grow. */
import { afterAll, expect, test } from 'bun:test';
import { SseParser } from '../server/src/lib/sse.ts';
import { goal, planningModel } from './autonomous-run.ts';
import { startService, until } from './service.ts';
import { startUpstream } from './upstream.ts';

const readers = 1000;
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

interface Reading {
  ids: number[];
  lastEvent: string;
  ended: boolean;
}

/** Over a raw socket, because Bun's `fetch` runs at most 256 requests at once. */
async function read(url: string, path: string, key: string): Promise<Reading> {
  const { hostname, port } = new URL(url);
  const reading: Reading = { ids: [], lastEvent: '', ended: false };
  const parser = new SseParser();
  let head = '';
  const body = (bytes: Uint8Array) => {
    for (const { id, event } of parser.push(bytes)) {
      reading.ids.push(Number(id));
      reading.lastEvent = event;
    }
  };
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => {
        // If the response is chunked, the chunk sizes are on lines of their own, which an event stream ignores.
        socket.write(
          `GET ${path} HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
        );
      },
      data: (_socket, bytes) => {
        if (head === 'done') return body(bytes);
        head += new TextDecoder('latin1').decode(bytes);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const rest = new Uint8Array(Buffer.from(head.slice(end + 4), 'latin1'));
        if (!head.startsWith('HTTP/1.1 200') && !head.startsWith('HTTP/1.0 200')) throw new Error(head);
        head = 'done';
        body(rest);
      },
      close: () => {
        reading.ended = true;
      },
    },
  });
  return reading;
}

test(`${readers} readers of one run get all events without growing memory`, async () => {
  // Long words: about 4 KB per event.
  const model = planningModel(1500, 60, 400);
  const upstream = startUpstream(model.script);
  closers.push(() => upstream.stop());
  const service = await startService({ env: { DEMO_PROVIDER: 'off' } });
  closers.push(() => service.stop());
  await service.serve({ kind: 'openai', url: upstream.url });
  const body = { message: goal, session_id: 'watched', config: { max_iterations: 100 } };
  expect((await service.post('/api/svc-ms/autonomous/execute', body)).status).toBe(200);
  const path = '/api/svc-ms/autonomous/watched/events';
  const all: Reading[] = [];
  for (let i = 0; i < readers; i += 100) {
    all.push(...(await Promise.all(Array.from({ length: 100 }, () => read(service.url, path, service.key)))));
  }
  await until('everybody reads', () => all.every(({ ids }) => ids.length > 0), 60_000);
  const seen = () => all[0]!.ids.length;
  const start = seen();
  await until('some events went by', () => seen() > start + 40, 60_000);
  const early = await service.rssBytes();
  const middle = seen();
  await until('many more went by', () => seen() > middle + 120, 60_000);
  const late = await service.rssBytes();
  model.content = true;
  await until('everybody is told the end', () => all.every(({ ended }) => ended), 60_000);
  const ids = all[0]!.ids;
  expect(ids).toEqual(ids.map((_, i) => i + 1));
  for (const reading of all) {
    expect(reading.lastEvent).toBe('execution_completed');
    if (reading.ids.length !== ids.length) expect(reading.ids).toEqual(ids);
  }
  // 120 events to a thousand readers are hundreds of megabytes; buffering them for each reader would show.
  expect(late - early).toBeLessThan(100_000_000);
}, 300_000);
