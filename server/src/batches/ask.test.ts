import { expect, test } from 'bun:test';
import { z } from 'zod';
import { MemoryBudget } from '../platform/http/memory-budget.ts';
import { defineRoute, json } from '../platform/http/route.ts';
import { askRequest } from './ask.ts';
import type { BatchesDeps } from './deps.ts';
import type { BatchRow, RequestRow } from './store/tables.ts';

const mebibyte = 1024 * 1024;
let [underWay, most] = [0, 0];

/** As if each line named a file of 40 MiB. */
const route = defineRoute({
  ...{ tag: 'Test', summary: '', auth: 'none', limit: null, errors: 'openai', answers: { 200: z.object({}) } },
  ...{ method: 'post', path: '/v1/chat/completions', bodyAs: 'raw' },
  handle: async (call) => {
    call.grow!(40 * mebibyte);
    underWay += 1;
    most = Math.max(most, underWay);
    await Bun.sleep(20);
    underWay -= 1;
    return json(call, { said: 'tea' });
  },
});
// What is asked of the house for a line that needs no charge.
const deps = {
  routes: [route],
  memoryBudget: new MemoryBudget(),
  blobs: { read: async () => new Response('{"body":{}}').body },
  permit: async () => ({ group: 'default', models: [], unlimited: true }),
  priceFactor: () => 1,
} as unknown as BatchesDeps;
const batch = { id: 'b', user_id: 1, key_id: null, endpoint: '/v1/chat/completions', attempts: 1 } as BatchRow;

test('requests that refer to large files wait for memory, and all are answered', async () => {
  const { signal } = new AbortController();
  const lines = Array.from({ length: 8 }, (_, position) => ({ position, first_byte: 0, last_byte: 1 }) as RequestRow);
  const outcomes = await Promise.all(lines.map((line) => askRequest(deps, batch, line, signal)));
  expect(outcomes.map(({ state }) => state)).toEqual(Array(8).fill('succeeded'));
  expect(most).toBe(3);
});

test('numbers that a double cannot hold are asked as they are written', async () => {
  const body = '{"id":9007199254740993,"amount":0.12345678901234567891}';
  let asked = '';
  const echo = defineRoute({
    ...{ tag: 'Test', summary: '', auth: 'none', limit: null, errors: 'openai', answers: { 200: z.object({}) } },
    ...{ method: 'post', path: '/v1/chat/completions', bodyAs: 'raw' },
    handle: async (call) => {
      asked = await call.request.text();
      return json(call, {});
    },
  });
  for (const member of ['body', 'params']) {
    const blobs = { read: async () => new Response(`{"custom_id":"a","${member}":${body}}`).body };
    const line = { position: 0, first_byte: 0, last_byte: 1 } as RequestRow;
    const given = { ...deps, blobs, routes: [echo] } as unknown as BatchesDeps;
    await askRequest(given, batch, line, new AbortController().signal);
    expect(asked).toBe(body);
  }
});
