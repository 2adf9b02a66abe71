import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI, { AzureOpenAI } from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { until } from '../../lib/until.fixture.ts';
import { socketHandlers } from '../../platform/http/sockets.ts';
import { localhostTls } from '../../video/localhost-tls.fixture.ts';
import { created, done, openRealtimeTest, type RealtimeTest, sound, words } from './realtime.fixture.ts';

let t: RealtimeTest;
let secure: Bun.Server<unknown>;
let client: OpenAI;

/** These clients speak `wss` alone, and have no setting for a certificate of our own. */
const plain = globalThis.WebSocket;
class Trusting extends plain {
  constructor(url: string, protocols: string[]) {
    // Bun takes an object here, which the types of the platform do not know.
    super(url, { protocols, tls: { rejectUnauthorized: false } } as never);
  }
}

beforeAll(async () => {
  t = await openRealtimeTest();
  secure = Bun.serve({ port: 0, tls: localhostTls, fetch: t.relay.test.app.fetch, websocket: socketHandlers as never });
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `https://localhost:${secure.port}/v1` });
});
afterAll(async () => {
  globalThis.WebSocket = plain;
  await secure.stop(true);
  await t.close();
});

type Realtime = OpenAIRealtimeWS | OpenAIRealtimeWebSocket;

/** A turn in text; gives the types of events in their order, and what was said. */
async function turn(realtime: Realtime, modality: 'text' | 'audio'): Promise<{ types: string[]; said: string }> {
  const types: string[] = [];
  let said = '';
  const fault = Promise.withResolvers<never>();
  realtime.on('error', (error) => fault.reject(error));
  realtime.on('event', (event: RealtimeServerEvent) => {
    if (types.at(-1) !== event.type) types.push(event.type);
    if (event.type === 'response.output_text.done') said = event.text;
    if (event.type === 'response.output_audio_transcript.done') said = event.transcript;
    if (event.type === 'session.created') {
      realtime.send({ type: 'session.update', session: { type: 'realtime', output_modalities: [modality] } });
      const content = [{ type: 'input_text' as const, text: 'What is tea?' }];
      realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      realtime.send({ type: 'response.create' });
    }
  });
  const over = until('the response is done', () => types.includes('response.done'));
  await Promise.race([over, fault.promise]);
  realtime.close();
  return { types, said };
}

const inOrder = (kind: string, ...more: string[]) => [
  ...['session.created', 'session.updated', 'conversation.item.added', 'conversation.item.done', 'response.created'],
  ...['response.output_item.added', 'response.content_part.added', ...more, `${kind}.done`],
  ...['response.content_part.done', 'conversation.item.added', 'response.output_item.done', 'conversation.item.done'],
  'response.done',
];

test('OpenAI’s clients talk to the built-in provider, with a key and with a client secret', async () => {
  const options = { rejectUnauthorized: false, tls: { rejectUnauthorized: false } };
  const typed = await turn(new OpenAIRealtimeWS({ model: 'demo/realtime', options }, client), 'text');
  expect(typed.types).toEqual(inOrder('response.output_text', 'response.output_text.delta'));
  expect(typed.said).toContain('tea');

  globalThis.WebSocket = Trusting as never;
  const rest = new OpenAI({ apiKey: t.relay.key, baseURL: `http://127.0.0.1:${t.port}/v1` });
  const { value } = await rest.realtime.clientSecrets.create({ session: { type: 'realtime', model: 'demo/realtime' } });
  const browser = new OpenAI({ apiKey: value, baseURL: client.baseURL });
  const spoken = await turn(new OpenAIRealtimeWebSocket({ model: 'demo/realtime' }, browser), 'audio');
  expect(new Set(spoken.types)).toEqual(
    new Set(
      inOrder(
        'response.output_audio_transcript',
        'response.output_audio_transcript.delta',
        'response.output_audio.delta',
        'response.output_audio.done',
      ),
    ),
  );
  expect(spoken.said).toBe(typed.said);
  globalThis.WebSocket = plain;
});

test('OpenAI’s clients transcribe, and unsupported calls fail with a clear message', async () => {
  const rest = new OpenAI({ apiKey: t.relay.key, baseURL: `http://127.0.0.1:${t.port}/v1`, maxRetries: 0 });
  const audio = { input: { transcription: { model: 'demo/transcribe' } } };
  const { value } = await rest.realtime.clientSecrets.create({ session: { type: 'transcription', audio } });
  const early = await rest.beta.realtime.transcriptionSessions.create({
    input_audio_transcription: { model: 'demo/transcribe' as 'whisper-1' },
  });
  const options = { rejectUnauthorized: false, tls: { rejectUnauthorized: false } };
  for (const apiKey of [value, early.client_secret.value, t.relay.key]) {
    const own = new OpenAI({ apiKey, baseURL: client.baseURL });
    const realtime = new OpenAIRealtimeWS({ model: 'demo/transcribe', options }, own);
    const heard: RealtimeServerEvent[] = [];
    realtime.on('error', (error) => heard.push(error as never));
    realtime.on('event', (event: RealtimeServerEvent) => {
      heard.push(event);
      if (event.type !== 'session.updated') return;
      realtime.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(96_000).toString('base64') });
      realtime.send({ type: 'input_audio_buffer.commit' });
    });
    const completed = 'conversation.item.input_audio_transcription.completed';
    await until('it is written down', () => heard.some(({ type }) => type === completed));
    expect(heard.find(({ type }) => type === completed)).toMatchObject({ transcript: '2.0 seconds of audio' });
    realtime.close();
  }
  const { calls } = rest.realtime;
  for (const asked of [calls.hangup('rtc_1'), calls.accept('rtc_1', { type: 'realtime' })])
    expect(await asked.catch((error: Error) => error.message)).toMatch(/^426 .*WebSocket: ws/);
});

test('OpenAI’s and Azure’s clients talk to an upstream vendor', async () => {
  t.vendor.onEvent = (socket, { type }) => {
    if (type !== 'response.create') return;
    const usage = { input_tokens: 10, output_tokens: 5 };
    for (const event of [created('a'), sound('a', 1), words('a', 'tea'), done('a', usage)]) socket.send(event);
  };
  const azure = new AzureOpenAI({
    ...{ apiKey: t.relay.key, apiVersion: '2025-04-01-preview', deployment: 'acme/voice' },
    endpoint: `https://localhost:${secure.port}`,
  });
  const options = { rejectUnauthorized: false, tls: { rejectUnauthorized: false } };
  const behind = await OpenAIRealtimeWS.azure(azure, { deploymentName: 'acme/voice', options });
  expect((await turn(behind, 'text')).types.at(-1)).toBe('response.done');
  // Rows of what was free, as in the test before, may be written later than those that were paid.
  const row = (await t.relay.usage()).find(({ model }) => model === 'acme/voice');
  expect(row).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
});
