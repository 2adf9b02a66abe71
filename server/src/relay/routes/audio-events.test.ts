import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { silence } from '../../lib/audio/sounds.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { oneRow, openRelayTest, type RelayTest, sdkOptions } from '../endpoints/relay.fixture.ts';
import {
  addUpstream,
  breakAfter,
  type ScriptedUpstream,
  scriptedUpstream,
  stallAfter,
} from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

const eventType = { 'content-type': 'text/event-stream' };
const event = (json: Json): Uint8Array =>
  new TextEncoder().encode(`event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`);
const delta = (text: string): Json => ({ type: 'transcript.text.delta', delta: text });
const usage = { type: 'tokens', input_tokens: 14, output_tokens: 45, total_tokens: 59 };
const done = { type: 'transcript.text.done', text: 'good tea', usage };

let relay: RelayTest;
let upstream: ScriptedUpstream;
let client: OpenAI;

const file = () => toFile(silence(1), 'tea.wav', { type: 'audio/wav' });

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  upstream = scriptedUpstream();
  const models = [
    { model_id: 'acme/gpt-4o-transcribe', type: 'transcription', request_price: 0.006, completion_price: 10 },
    { model_id: 'acme/whisper', type: 'transcription', request_price: 0.006, completion_price: 10 },
    { model_id: 'acme/tts', type: 'speech', request_price: 0.015 },
  ];
  await addUpstream(relay.test, upstream.url, models, { provider: 'sound' });
  await relay.credit(1_000_000);
  client = new OpenAI({ ...sdkOptions(relay), baseURL: `${relay.test.config.baseUrl}/v1` });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const eventsOf = async (stream: AsyncIterable<unknown>): Promise<Json[]> => (await Array.fromAsync(stream)) as Json[];
const ask = async (model: string) => ({ model, file: await file(), stream: true }) as const;

describe('streamed transcripts', () => {
  test('events are forwarded as they arrive', async () => {
    upstream.answer(
      () => new Response(Buffer.concat([delta('good '), delta('tea'), done].map(event)), { headers: eventType }),
    );
    const events = await oneRow(relay, { status: 'ok', completion_tokens: 45, prompt_tokens: 14 }, async () =>
      eventsOf(await client.audio.transcriptions.create(await ask('acme/gpt-4o-transcribe'))),
    );
    expect((upstream.seen.at(-1)!.body as FormData).getAll('stream')).toEqual(['true']);
    expect(events).toEqual([delta('good '), delta('tea'), done]);
  });

  test('events may be followed by an end mark and a blank, under a type in any case', async () => {
    const events = Buffer.concat([...[delta('good '), done].map(event), Buffer.from('data: [DONE] \n\n')]);
    upstream.answer(() => new Response(events, { headers: { 'content-type': 'Text/Event-Stream' } }));
    const read = await eventsOf(await client.audio.transcriptions.create(await ask('acme/gpt-4o-transcribe')));
    expect(read).toEqual([delta('good '), done]);
  });

  test('events are made from a whole answer if the upstream does not stream', async () => {
    upstream.answer(() => Response.json({ text: 'good tea' }));
    const events = await oneRow(relay, { status: 'ok' }, async () =>
      eventsOf(await client.audio.transcriptions.create(await ask('acme/whisper'))),
    );
    expect((upstream.seen.at(-1)!.body as FormData).has('stream')).toBe(false);
    expect(events).toMatchObject([delta('good tea'), { type: 'transcript.text.done', text: 'good tea' }]);
    const offline = await eventsOf(await client.audio.transcriptions.create(await ask('demo/transcribe')));
    expect(offline.at(-1)!.type).toBe('transcript.text.done');
  });

  test('an interrupted transcript is charged, without fallback', async () => {
    upstream.answer(breakAfter([event(delta('good '))], eventType));
    const broken = await oneRow(relay, { status: 'interrupted' }, async () =>
      eventsOf(await client.audio.transcriptions.create(await ask('acme/gpt-4o-transcribe'))).catch((error) => error),
    );
    expect(broken).toBeInstanceOf(OpenAI.APIError);
  });

  test('a client that disconnects is charged', async () => {
    upstream.answer(stallAfter([event(delta('good '))], eventType));
    await oneRow(relay, { status: 'aborted' }, async () => {
      const leaving = new AbortController();
      const asked = await ask('acme/gpt-4o-transcribe');
      for await (const _ of await client.audio.transcriptions.create(asked, { signal: leaving.signal }))
        leaving.abort();
    });
  });

  test('translations cannot be streamed, and `stream` must be true or false', async () => {
    for (const [path, stream] of [
      ['translations', 'true'],
      ['transcriptions', 'perhaps'],
    ] as const) {
      const form = new FormData();
      form.set('model', 'acme/whisper');
      form.set('stream', stream);
      form.set('file', new File([silence(1)], 'tea.wav'));
      const answer = await relay.post(`/v1/audio/${path}`, form);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { param: 'stream' } });
    }
  });

  test.each(['srt', 'vtt', 'text', 'verbose_json'] as const)(
    'response format %s is forwarded',
    async (response_format) => {
      const body = response_format === 'verbose_json' ? JSON.stringify({ text: 'tea', words: [] }) : 'tea';
      upstream.answer(() => new Response(body));
      const asked = { model: 'acme/whisper', file: await file(), response_format };
      const made = await client.audio.transcriptions.create(asked);
      expect(made as unknown).toEqual(response_format === 'verbose_json' ? { text: 'tea', words: [] } : 'tea');
    },
  );
});

/** What would be charged if the process died now. */
const noted = () => relay.test.platform.database.db.selectFrom('billing_holds').select('progress').executeTakeFirst();

test.each([
  ['a transcript', [event(delta('good '))], eventType],
  ['speech', [new Uint8Array(30_000)], { 'content-type': 'audio/mpeg' }],
] as const)('%s that has not ended has a record of its cost so far', async (what, pieces, headers) => {
  upstream.answer(stallAfter([...pieces], headers));
  const leaving = new AbortController();
  const { signal } = leaving;
  await oneRow(relay, { status: 'aborted' }, async () => {
    const stream =
      what === 'speech'
        ? (await client.audio.speech.create({ model: 'acme/tts', input: 'tea', voice: 'alloy' }, { signal })).body!
        : await client.audio.transcriptions.create(await ask('acme/gpt-4o-transcribe'), { signal });
    const leave = async () => {
      for await (const _ of stream as AsyncIterable<unknown>) {
        await until('it is written', async () => ((await noted())?.progress ?? 0) > 0);
        leaving.abort();
      }
    };
    await leave().catch((error) => {
      if (!signal.aborted) throw error;
    });
  });
  await until('the note goes with the charge', async () => (await noted()) === undefined);
});

describe('streamed speech events', () => {
  const say = { model: 'acme/tts', input: 'good tea', voice: 'alloy', stream_format: 'sse' } as const;
  const heard = async (answer: Response) => {
    const events = (await answer.text())
      .split('\n\n')
      .filter((frame) => frame.startsWith('event:'))
      .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Json);
    const sound = events.flatMap(({ audio }) => (audio ? [Buffer.from(String(audio), 'base64')] : []));
    return { types: [...new Set(events.map(({ type }) => type))], sound: Buffer.concat(sound), last: events.at(-1)! };
  };

  test('contain the same audio in pieces, and usage', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(5_000));
    upstream.answer(() => new Response(bytes, { headers: { 'content-type': 'audio/mpeg' } }));
    const { types, sound, last } = await oneRow(relay, { status: 'ok' }, async () => {
      const answer = await client.audio.speech.create(say);
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      return heard(answer);
    });
    expect(upstream.seen.at(-1)!.body).not.toHaveProperty('stream_format');
    expect(types).toEqual(['speech.audio.delta', 'speech.audio.done']);
    expect(sound.equals(Buffer.from(bytes))).toBe(true);
    expect(last).toMatchObject({ usage: { input_tokens: expect.any(Number), total_tokens: expect.any(Number) } });
  });

  test('interrupted speech ends with an error', async () => {
    upstream.answer(breakAfter([new Uint8Array(3_000)], { 'content-type': 'audio/mpeg' }));
    const { types, last } = await oneRow(relay, { status: 'interrupted' }, async () =>
      heard(await client.audio.speech.create(say)),
    );
    expect(types).toEqual(['speech.audio.delta', 'error']);
    expect(last).toMatchObject({ error: { message: expect.any(String) } });
  });

  test('an unknown stream_format is rejected', async () => {
    const asked = client.audio.speech.create({ ...say, stream_format: 'wav' as 'sse' });
    expect(await asked.catch((error) => error)).toMatchObject({ status: 400, param: 'stream_format' });
  });
});
