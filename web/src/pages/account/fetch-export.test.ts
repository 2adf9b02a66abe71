import { expect, test } from 'bun:test';
import { ApiError } from '../../api.ts';
import { fileNameOf, readExport } from './fetch-export.ts';

const still = new AbortController().signal;

function answer(parts: string[], fault?: Error): Response {
  const waiting = parts.map((part) => new TextEncoder().encode(part));
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = waiting.shift();
      if (next) controller.enqueue(next);
      else if (fault) controller.error(fault);
      else controller.close();
    },
  });
  const headers = { 'content-disposition': 'attachment; filename="svc-user-7.json"', 'x-request-id': 'req_1' };
  return new Response(body, { headers });
}

test('reads the whole file, takes the name from the response and reports progress', async () => {
  const told: number[] = [];
  const file = await readExport(answer(['{"a":', '1}\n']), still, (bytes) => told.push(bytes));
  expect(file.name).toBe('svc-user-7.json');
  expect(await file.blob.text()).toBe('{"a":1}\n');
  expect(told).toEqual([5, 8]);
});

test('an incomplete file fails with the request id', async () => {
  const reading = readExport(answer(['{"a":'], new TypeError('network')), still, () => {});
  const failure = await reading.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 0, requestId: 'req_1', message: expect.stringContaining('was lost') });
});

test('an error response fails with the service’s message', async () => {
  const refusal = Response.json({ success: false, message: 'Slow down.' }, { status: 429 });
  const failure = await readExport(refusal, still, () => {}).catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 429, message: 'Slow down.' });
});

test('cancelling rethrows the abort error', async () => {
  const stopped = new AbortController();
  stopped.abort();
  const cause = new DOMException('stopped', 'AbortError');
  const failure = await readExport(answer([], cause), stopped.signal, () => {}).catch((error: unknown) => error);
  expect(failure).toBe(cause);
});

test('a file name with a path is replaced by the default', () => {
  expect(fileNameOf('attachment; filename="svc-user-7.json"')).toBe('svc-user-7.json');
  expect(fileNameOf('attachment; filename="../x"')).toBe('svc-export.json');
  expect(fileNameOf(null)).toBe('svc-export.json');
});
