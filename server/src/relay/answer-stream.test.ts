import { expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import type { Call } from '../platform/http/route.ts';
import { answerStream } from './answer-stream.ts';
import type { RelayDeps } from './deps.ts';
import type { OpenStream } from './pump.ts';
import { ClientLeft } from './try-candidates.ts';

const encoder = new TextEncoder();
const deps = { log: { error: () => {} } } as unknown as RelayDeps;
const says = (text: string): OpenStream =>
  ({
    candidate: { channel: { provider: 'acme' } },
    pump: async (write: (bytes: Uint8Array) => unknown) => write(encoder.encode(text)),
  }) as unknown as OpenStream;

/** Served for real: this kind of body has no other way of being read. */
async function answered(open: () => Promise<OpenStream>): Promise<{ response: Response; text: string }> {
  const call = { requestId: 'req_1', headers: {} } as Call<'apiKey'>;
  const server = Bun.serve({
    port: 0,
    fetch: () =>
      answerStream(
        deps,
        call,
        open(),
        (thrown) => `data: ${thrown instanceof AppError ? thrown.code : 'unforeseen'}\n\n`,
        30,
      ),
    error: (error) => new Response(error.message, { status: 502 }),
  });
  try {
    const response = await fetch(server.url);
    return { response, text: await response.text() };
  } finally {
    await server.stop(true);
  }
}
const later =
  <T>(value: () => T) =>
  (): Promise<T> =>
    Bun.sleep(100).then(value);

test('what opens in time is answered as it is', async () => {
  const { response, text } = await answered(async () => says('data: 1\n\n'));
  expect(text).toBe('data: 1\n\n');
  expect(response.headers.get('x-svc-provider')).toBe('acme');
  expect(response.headers.get('content-type')).toContain('text/event-stream');
});

test('what fails in time has a status of its own', async () => {
  const { response } = await answered(() => Promise.reject(new AppError('provider_error', 'no')));
  expect(response.status).toBe(502);
});

test('what takes long gets its head and comments first', async () => {
  const { text } = await answered(later(() => says('data: 1\n\n')));
  expect(text).toMatch(/^(: ping\n\n){2,5}data: 1\n\n$/);
});

test('what takes long and fails is told in the stream', async () => {
  const failing = later(() => {
    throw new AppError('timeout', 'no');
  });
  expect((await answered(failing)).text).toMatch(/^(: ping\n\n)+data: timeout\n\n$/);
  const unforeseen = later(() => {
    throw new TypeError('secret');
  });
  expect((await answered(unforeseen)).text).toMatch(/^(: ping\n\n)+data: unforeseen\n\n$/);
});

test('nobody is told that the client left', async () => {
  const left = later(() => {
    throw new ClientLeft();
  });
  expect((await answered(left)).text).toMatch(/^(: ping\n\n)+$/);
});
