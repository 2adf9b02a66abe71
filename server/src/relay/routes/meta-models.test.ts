import { afterAll, beforeAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { openTestApp, type TestApp } from '../../app.fixture.ts';

let service: TestApp;
let client: Anthropic;
let openai: OpenAI;
beforeAll(async () => {
  service = await openTestApp();
  const apiKey = await (await service.user()).key();
  const fetch = (url: string | URL | Request, init?: RequestInit) =>
    Promise.resolve(service.app.fetch(new Request(url as string, init)));
  client = new Anthropic({ apiKey, baseURL: service.config.baseUrl, fetch, maxRetries: 0 });
  openai = new OpenAI({ apiKey, baseURL: `${service.config.baseUrl}/v1`, fetch, maxRetries: 0 });
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

test('the orchestration model streams to an Anthropic client in the required order', async () => {
  const stream = client.messages.stream(ask);
  const kinds: string[] = [];
  let end: unknown;
  for await (const event of stream) {
    kinds.push(event.type);
    if (event.type === 'message_delta') end = event;
  }
  expect(end).toHaveProperty('svc_ms_meta.tasks_total');
  expect(kinds[0]).toBe('message_start');
  expect(kinds.at(-1)).toBe('message_stop');
  expect(await stream.finalText()).toContain('84');
});

test('an invalid request returns an error in the messages format', async () => {
  const error = await client.messages
    .create({ ...ask, svc_ms: { memory_mode: 'elephant' } } as typeof ask)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect((error as Error).message).toContain('svc_ms.memory_mode');
});

test('the orchestration model answers as a response, whole and streamed', async () => {
  const asked = { model: 'svc/svc-ms', instructions: 'Be brief.', input: 'Reply with exactly: 84' };
  const whole = await openai.responses.create(asked);
  expect(whole.output_text).toContain('84');
  expect(whole.usage!.output_tokens).toBeGreaterThan(0);
  expect(whole).toHaveProperty('svc_ms_meta.tasks_total');
  const final = await openai.responses.stream(asked).finalResponse();
  expect(final).toMatchObject({ status: 'completed', output_text: expect.stringContaining('84') });
  expect(final.usage!.output_tokens).toBeGreaterThan(0);
  expect(final).toHaveProperty('svc_ms_meta.tasks_total');
  const wrong = openai.responses.create({ ...asked, tools: [{ type: 'web_search' }] });
  expect(await wrong.catch((thrown: unknown) => thrown)).toMatchObject({ status: 400, param: 'tools' });
});
