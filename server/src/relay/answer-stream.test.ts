import { expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { holdTime, pass } from '../lib/held-time.fixture.ts';
import type { Call } from '../platform/http/route.ts';
import { answerStream, type OpenStream } from './answer-stream.ts';
import type { RelayDeps } from './deps.ts';
import { ClientLeft } from './try-candidates.ts';

holdTime();

const encoder = new TextEncoder();
const deps = { log: { error: () => {} } } as unknown as RelayDeps;
const says = (text: string): OpenStream =>
  ({
    candidate: { channel: { provider: 'acme' } },
    pump: async (write: (bytes: Uint8Array) => unknown) => write(encoder.encode(text)),
  }) as unknown as OpenStream;

const patienceMs = 30;

/** Served for real: this kind of body has no other way of being read. `meanwhile` runs once the request has come. */
async function answered(
  open: () => Promise<OpenStream>,
  meanwhile?: (head: Promise<Response>) => Promise<void>,
): Promise<{ response: Response; text: string }> {
  const call = { requestId: 'req_1', headers: {} } as Call<'apiKey'>;
  const arrived = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      const answer = answerStream(
        deps,
        call,
        open(),
        (thrown) => `data: ${thrown instanceof AppError ? thrown.code : 'unforeseen'}\n\n`,
        { patienceMs },
      );
      arrived.resolve();
      return answer;
    },
    error: (error) => new Response(error.message, { status: 502 }),
  });
  try {
    const asking = fetch(server.url);
    await arrived.promise;
    const reading = (async () => {
      const response = await asking;
      return { response, text: await response.text() };
    })();
    await meanwhile?.(asking);
    return await reading;
  } finally {
    await server.stop(true);
  }
}

/** Opens, or fails, after the patience has ended three times. */
function answeredLate(open: () => OpenStream): ReturnType<typeof answered> {
  const opening = Promise.withResolvers<OpenStream>();
  return answered(
    () => opening.promise,
    async (head) => {
      await pass(patienceMs);
      await head;
      await pass(2.5 * patienceMs, patienceMs / 2);
      try {
        opening.resolve(open());
      } catch (error) {
        opening.reject(error);
      }
    },
  );
}
/** With the head, and at the end of each further patience. */
const threePings = ': ping\n\n'.repeat(3);

test('a stream that opens in time is passed through unchanged', async () => {
  const { response, text } = await answered(async () => says('data: 1\n\n'));
  expect(text).toBe('data: 1\n\n');
  expect(response.headers.get('x-svc-provider')).toBe('acme');
  expect(response.headers.get('content-type')).toContain('text/event-stream');
});

test('a failure before the stream opens sets the status', async () => {
  const { response } = await answered(() => Promise.reject(new AppError('provider_error', 'no')));
  expect(response.status).toBe(502);
});

test('a slow answer starts with headers and comments', async () => {
  const { text } = await answeredLate(() => says('data: 1\n\n'));
  expect(text).toBe(`${threePings}data: 1\n\n`);
});

test.each([
  [new AppError('timeout', 'no'), 'timeout'],
  [new TypeError('secret'), 'unforeseen'],
])('a late failure is reported in the stream: %s', async (failure, told) => {
  const failing = answeredLate(() => {
    throw failure;
  });
  expect((await failing).text).toBe(`${threePings}data: ${told}\n\n`);
});

test('nothing is sent after the client disconnects', async () => {
  const left = answeredLate(() => {
    throw new ClientLeft();
  });
  expect((await left).text).toBe(threePings);
});
