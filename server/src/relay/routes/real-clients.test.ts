import { afterAll, beforeAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import type { Server } from 'bun';
import OpenAI, { toFile } from 'openai';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';

let relay: RelayTest;
let server: Server<unknown>;
let openai: OpenAI;

beforeAll(async () => {
  relay = await openRelayTest();
  server = Bun.serve({ port: 0, idleTimeout: 0, fetch: (request, self) => relay.test.app.fetch(request, self) });
  openai = new OpenAI({ apiKey: relay.key, baseURL: `${server.url}v1`, maxRetries: 0 });
});
afterAll(async () => {
  await server.stop(true);
  await relay.close();
});

test('OpenAI’s client: models', async () => {
  const ids: string[] = [];
  for await (const model of openai.models.list()) ids.push(model.id);
  expect(ids).toContain('demo/embed');
  // The client writes the slash as %2F.
  expect((await openai.models.retrieve('demo/chat')).id).toBe('demo/chat');
});

test('OpenAI’s client: embeddings, requested in base64', async () => {
  const { data, usage } = await openai.embeddings.create({ model: 'demo/embed', input: ['near texts', 'are near'] });
  expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
  expect(usage.prompt_tokens).toBeGreaterThan(2);
});

test('OpenAI’s client: images and moderations', async () => {
  const { data } = await openai.images.generate({ model: 'demo/image', prompt: 'a cat', response_format: 'b64_json' });
  expect(Buffer.from(data![0]!.b64_json!, 'base64').toString('latin1', 1, 4)).toBe('PNG');
  const judged = await openai.moderations.create({ input: 'i will kill you' });
  expect(judged.results[0]!.categories['harassment/threatening']).toBe(true);
});

test('OpenAI’s client: speech and its transcription', async () => {
  const speech = await openai.audio.speech.create({ model: 'demo/speech', input: 'Good morning.', voice: 'alloy' });
  expect(speech.headers.get('content-type')).toBe('audio/mpeg');
  const file = await toFile(await speech.arrayBuffer(), 'morning.mp3');
  const whole = await openai.audio.transcriptions.create({
    model: 'demo/transcribe',
    file,
    response_format: 'verbose_json',
    timestamp_granularities: ['word'],
  });
  expect(whole.words!.length).toBeGreaterThan(5);
  const english = await openai.audio.translations.create({ model: 'demo/transcribe', file });
  expect(english.text).toContain('translation');
});

test('OpenAI’s client: responses, whole, streamed, parsed, and with a tool call', async () => {
  const whole = await openai.responses.create({ model: 'demo/chat', input: 'Hello' });
  expect(whole.output_text.length).toBeGreaterThan(3);
  const stream = openai.responses.stream({ model: 'demo/chat', input: 'Hello' });
  let text = '';
  stream.on('response.output_text.delta', ({ delta }) => {
    text += delta;
  });
  const final = await stream.finalResponse();
  expect(text).toBe(final.output_text);
  expect(final.usage!.total_tokens).toBeGreaterThan(2);
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const tools = [{ type: 'function' as const, name: 'weather', parameters, strict: false }];
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is the weather in Paris?' }];
  const first = await openai.responses.create({ model: 'demo/chat', input, tools });
  const call = first.output.find((item) => item.type === 'function_call')!;
  input.push(...(first.output as typeof input));
  input.push({ type: 'function_call_output', call_id: call.call_id, output: 'sunny' });
  const second = await openai.responses.create({ model: 'demo/chat', input, tools });
  expect(second).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
});

test('OpenAI’s client: errors become its own error types', async () => {
  const asked = openai.embeddings.create({ model: 'nobody/knows', input: 'x' });
  expect(await asked.catch((error) => error)).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
  const nameless = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${server.url}v1`, maxRetries: 0 });
  expect(await nameless.models.list().catch((error) => error)).toBeInstanceOf(OpenAI.AuthenticationError);
});

test('Anthropic’s client: token counts and models', async () => {
  const anthropic = new Anthropic({ apiKey: relay.key, baseURL: server.url.origin, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'hello' }];
  expect((await anthropic.messages.countTokens({ model: 'demo/chat', messages })).input_tokens).toBeGreaterThan(1);
  const bearer = new Anthropic({ apiKey: null, authToken: relay.key, baseURL: server.url.origin, maxRetries: 0 });
  const names: string[] = [];
  for await (const model of bearer.models.list()) names.push(model.display_name);
  expect(names).toContain('Simulated chat (built-in)');
});
