import { afterAll, beforeAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { openTestApp, type TestApp } from '../../app.fixture.ts';

let service: TestApp;
let client: Anthropic;
beforeAll(async () => {
  service = await openTestApp();
  const apiKey = await (await service.user()).key();
  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    Promise.resolve(service.app.fetch(new Request(url as string, init)));
  client = new Anthropic({ apiKey, baseURL: service.config.baseUrl, fetch, maxRetries: 0 });
});
afterAll(() => service.close());

const ask = {
  model: 'svc/svc-ms',
  max_tokens: 500,
  system: 'Be brief.',
  messages: [{ role: 'user' as const, content: 'Reply with exactly: 84' }],
};

test('the orchestration model answers an Anthropic client, whole', async () => {
  const message = await client.messages.create(ask);
  expect(message).toMatchObject({ type: 'message', role: 'assistant', model: 'svc/svc-ms', stop_reason: 'end_turn' });
  expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('84') });
  expect(message.usage.output_tokens).toBeGreaterThan(0);
  expect(message).toHaveProperty('svc_ms_meta.tasks_total');
});

test('and streamed, in the order its libraries insist on', async () => {
  const stream = client.messages.stream(ask);
  const kinds: string[] = [];
  for await (const event of stream) kinds.push(event.type);
  expect(kinds[0]).toBe('message_start');
  expect(kinds.at(-1)).toBe('message_stop');
  expect(await stream.finalText()).toContain('84');
});

test('a fault of the request is told in the messages format', async () => {
  const error = await client.messages
    .create({ ...ask, svc_ms: { memory_mode: 'elephant' } } as typeof ask)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect((error as Error).message).toContain('svc_ms.memory_mode');
});
