import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { wavFile } from '../../lib/audio/sounds.fixture.ts';
import { randomString } from '../../lib/ids.ts';
import { costOf } from '../../lib/money.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import {
  addUpstream,
  breakAfter,
  type ScriptedUpstream,
  scriptedUpstream,
  stall,
  stallAfter,
} from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
let first: ScriptedUpstream;
let second: ScriptedUpstream;
const perMinute = { promptPrice: 0, completionPrice: 0, requestPrice: 0.6 };
const cost = (minutes: number) => costOf(perMinute, { promptTokens: 0, completionTokens: 0, units: minutes });

beforeAll(async () => {
  relay = await openRelayTest();
  first = scriptedUpstream();
  second = scriptedUpstream();
  const speech = { model_id: 'acme/say', type: 'speech', model_name: 'say-1', request_price: 0.6 };
  const listen = { model_id: 'acme/listen', type: 'transcription', model_name: 'listen-1', request_price: 0.6 };
  await addUpstream(relay.test, first.url, [speech, listen], { provider: 'one' });
  await addUpstream(relay.test, second.url, [speech, listen], { provider: 'two' });
  await relay.credit(10_000_000);
});
afterAll(async () => {
  await relay.close();
  await Promise.all([first.close(), second.close()]);
});

const order = { provider: { order: ['one', 'two'] } };
const only = { provider: { only: ['one'] } };
/** 24 kHz, 16 bits: a second is 48,000 bytes. */
const second1 = new Uint8Array(48_000).fill(7);
const sound = { 'content-type': 'audio/pcm' };

const say = (body: Json = {}, signal?: AbortSignal) =>
  relay.post(
    '/v1/audio/speech',
    { model: 'acme/say', input: 'Hello there.', voice: 'alloy', response_format: 'pcm', ...body },
    signal ? { signal } : {},
  );

describe('speech', () => {
  test('audio is forwarded unchanged and charged exactly by duration', async () => {
    const before = await relay.money();
    const half = Buffer.alloc(30 * 48_000);
    for (let i = 0; i < half.length; i++) half[i] = (i * 31) % 251;
    first.answer(() => new Response(half, { headers: sound }));
    const answer = await say({ ...only, instructions: 'calmly' });
    expect(answer.headers.get('content-type')).toBe('audio/pcm');
    expect(Buffer.from(await answer.bytes()).equals(half)).toBe(true);
    expect(before.quota - (await relay.money()).quota).toBe(cost(0.5));
    expect(await relay.usageOf(answer)).toMatchObject({
      model: 'acme/say',
      units: 0.5,
      status: 'ok',
      quota: cost(0.5),
    });
    const voice = { voice: 'alloy', response_format: 'pcm', instructions: 'calmly' };
    expect(first.seen.at(-1)!.body).toEqual({ model: 'say-1', input: 'Hello there.', ...voice });
  });

  test('sets the right content type if the upstream sends none', async () => {
    const types = { mp3: 'audio/mpeg', opus: 'audio/opus', aac: 'audio/aac', flac: 'audio/flac', wav: 'audio/wav' };
    first.answer(() => new Response(new Uint8Array(9), { headers: { 'content-type': 'application/octet-stream' } }));
    for (const [response_format, type] of Object.entries(types))
      expect((await say({ ...only, response_format })).headers.get('content-type')).toBe(type);
  });

  test('falls back to the next candidate until the first byte', async () => {
    const failures = [
      () => Response.json({ error: { message: 'down' } }, { status: 503 }),
      () => Response.json({ error: { message: 'down', code: 500 } }),
      () => new Response(null, { headers: sound }),
    ];
    second.answer(() => new Response(second1, { headers: sound }));
    for (const fail of failures) {
      first.answer(fail);
      const answer = await say(order);
      expect([answer.status, answer.headers.get('x-svc-provider')]).toEqual([200, 'two']);
      expect((await answer.bytes()).length).toBe(48_000);
    }
  });

  test('interrupted audio fails for the client and is charged as far as it got', async () => {
    const before = await relay.money();
    second.answer(breakAfter([second1, second1], sound));
    const answer = await say({ provider: { only: ['two'] } });
    expect(answer.status).toBe(200);
    await expect(answer.bytes()).rejects.toThrow();
    const entry = await relay.usageOf(answer);
    expect(entry).toMatchObject({ status: 'interrupted', provider: 'two' });
    expect(before.quota - (await relay.money()).quota).toBe(entry.quota);
    expect(entry.quota).toBeLessThanOrEqual(cost(2 / 60));
  });

  test('a client that disconnects before or during the audio ends the upstream call', async () => {
    second.answer(stall);
    const early = new AbortController();
    const asked = second.next();
    const never = say({ provider: { only: ['two'] } }, early.signal);
    const waiting = await asked;
    early.abort();
    await waiting.aborted;
    expect((await never).status).toBe(499);

    const before = await relay.money();
    second.answer(stallAfter([second1, second1, second1], sound));
    const late = new AbortController();
    const began = second.next();
    const answer = await say({ provider: { only: ['two'] } }, late.signal);
    const reader = answer.body!.getReader();
    await reader.read();
    late.abort();
    await (await began).aborted;
    const entry = await relay.usageOf(answer);
    expect(entry.status).toBe('aborted');
    expect(entry.units).toBeGreaterThan(0);
    expect(before.quota - (await relay.money()).quota).toBe(entry.quota);
  });

  test('a disconnect over a real connection ends the upstream call', async () => {
    const server = Bun.serve({ port: 0, fetch: (request, self) => relay.test.app.fetch(request, self) });
    second.answer(stallAfter([second1], sound));
    const leaving = new AbortController();
    const began = second.next();
    const body = { model: 'acme/say', input: 'x', voice: 'a', response_format: 'pcm', provider: { only: ['two'] } };
    const call = fetch(new URL('/v1/audio/speech', server.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const seen = await began;
    const reader = (await call).body!.getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    leaving.abort();
    await seen.aborted;
    await server.stop(true);
  });
});

describe('transcriptions and translations', () => {
  /** Three seconds. */
  const plain = { tag: 1, channels: 1, rate: 24_000, bits: 16 };
  const wav = wavFile(plain, 48_000 * 3).bytes;
  const form = (fields: Record<string, string> = {}, bytes = wav): FormData => {
    const form = new FormData();
    form.set('file', new File([Uint8Array.from(bytes)], 'hello.wav', { type: 'audio/wav' }));
    for (const [name, value] of Object.entries({ model: 'acme/listen', ...fields })) form.append(name, value);
    return form;
  };

  test('the form is forwarded unchanged with the upstream’s model name', async () => {
    first.answer(() => Response.json({ text: 'hello', usage: { type: 'duration', seconds: 3 } }));
    const fields = { language: 'en', 'timestamp_granularities[]': 'word', custom: 'x', provider: '{"only":["one"]}' };
    for (const path of ['/v1/audio/transcriptions', '/v1/audio/translations']) {
      const answer = await relay.post(path, form(fields));
      expect(await answer.json()).toEqual({ text: 'hello', usage: { type: 'duration', seconds: 3 } });
      const { body, path: asked } = first.seen.at(-1)!;
      const sent = body as FormData;
      expect(asked).toBe(path);
      expect([sent.get('model'), sent.get('language'), sent.get('custom')]).toEqual(['listen-1', 'en', 'x']);
      expect([sent.get('provider'), sent.get('timestamp_granularities[]')]).toEqual([null, 'word']);
      const file = sent.get('file') as unknown as File;
      expect([file.name, file.size]).toEqual(['hello.wav', wav.length]);
    }
  });

  test('charged per minute: as reported by the upstream, else by file length', async () => {
    const cases: [answer: Response, fields: Record<string, string>, seconds: number][] = [
      [Response.json({ text: 'hello', usage: { type: 'duration', seconds: 30 } }), {}, 30],
      [Response.json({ text: 'hello', duration: 12 }), { response_format: 'verbose_json' }, 12],
      [Response.json({ text: 'hello', duration: '6.00' }), { response_format: 'verbose_json' }, 6],
      [Response.json({ text: 'hello' }), {}, 3],
      [new Response('WEBVTT\n\nhello'), { response_format: 'vtt' }, 3],
      // No file of this size lasts so short or so long.
      [Response.json({ text: 'hello', usage: { type: 'duration', seconds: 0.001 } }), {}, 3],
      [Response.json({ text: 'hello', duration: 1e308 }), { response_format: 'verbose_json' }, 3],
      [Response.json({ text: 'hello', duration: -7 }), { response_format: 'verbose_json' }, 3],
    ];
    for (const [reply, fields, seconds] of cases) {
      first.answer(() => reply);
      const before = await relay.money();
      const answer = await relay.post('/v1/audio/transcriptions', form({ ...fields, provider: '{"only":["one"]}' }));
      expect(answer.status).toBe(200);
      expect(before.quota - (await relay.money()).quota).toBe(cost(seconds / 60));
    }
  });

  test('charged per token: as reported by the upstream, else by duration, in every response format', async () => {
    const sold = { type: 'transcription', model_name: 'tokens-1' };
    await addUpstream(relay.test, first.url, [
      { ...sold, model_id: 'acme/tokens', prices: { prompt: 100, completion: 500 } },
      { ...sold, model_id: 'acme/sounds', prices: { prompt: 100, completion: 500, audio_in: 300 } },
    ]);
    const usage = { type: 'tokens', input_tokens: 40, output_tokens: 1, input_token_details: { audio_tokens: 30 } };
    const done = `data: ${JSON.stringify({ type: 'transcript.text.done', text: 'hello', usage })}\n\n`;
    const inEvents = new Response(done, { headers: { 'content-type': 'text/event-stream' } });
    const cases: [reply: Response, fields: Record<string, string>, tokens: number, sounds: number][] = [
      [Response.json({ text: 'hello', usage }), {}, 40, 30],
      [inEvents, { stream: 'true' }, 40, 30],
      [Response.json({ text: 'hello', usage: { type: 'duration', seconds: 6 } }), {}, 60, 60],
      [Response.json({ text: 'hello' }), {}, 30, 30],
      [new Response('hello'), { response_format: 'text' }, 30, 30],
      [new Response('hello'), { response_format: 'srt' }, 30, 30],
    ];
    for (const [model, audioIn] of [['acme/tokens'], ['acme/sounds', 300]] as [string, number?][])
      for (const [reply, fields, promptTokens, audioInTokens] of cases) {
        first.answer(() => reply.clone());
        const before = await relay.money();
        const answer = await relay.post('/v1/audio/transcriptions', form({ ...fields, model }));
        await answer.text();
        const price = { promptPrice: 100, completionPrice: 500, requestPrice: 0, parts: audioIn ? { audioIn } : {} };
        const expected = costOf(price, { promptTokens, completionTokens: 1, audioInTokens });
        expect([model, fields, before.quota - (await relay.money()).quota]).toEqual([model, fields, expected]);
      }
  });

  test('a forged file header does not change the price', async () => {
    first.answer(() => Response.json({ text: 'hello' }));
    const heads = [{ byteRate: 0xffffffff }, { byteRate: 1 }, { dataSize: 2 }, { byteRate: 0xffffffff, dataSize: 2 }];
    for (const head of heads) {
      const before = await relay.money();
      const { bytes } = wavFile({ ...plain, ...head }, 48_000 * 3);
      const answer = await relay.post('/v1/audio/transcriptions', form({ provider: '{"only":["one"]}' }, bytes));
      expect(answer.status).toBe(200);
      expect(before.quota - (await relay.money()).quota).toBe(cost(3 / 60));
    }
  });

  test('response_format text returns text even if the upstream answers in JSON', async () => {
    first.answer(() => Response.json({ text: 'hello' }));
    const answer = await relay.post(
      '/v1/audio/transcriptions',
      form({ response_format: 'text', provider: '{"only":["one"]}' }),
    );
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain; charset=utf-8', 'hello']);
  });

  test.each([
    ['text', () => Response.json({})],
    ['text', () => new Response('<!DOCTYPE html><html><body>Bad gateway')],
    ['vtt', () => new Response('\n<html><body>Bad gateway')],
    ['srt', () => Response.json({ text: 'hello' })],
    ['srt', () => Response.json({ nothing: 1 })],
  ])('%s: an answer that is no transcript is not charged', async (response_format, reply) => {
    const model_id = `acme/listen-${randomString(8)}`;
    await addUpstream(relay.test, first.url, [{ model_id, type: 'transcription', request_price: 0.6 }]);
    first.answer(reply);
    const before = await relay.money();
    const answer = await relay.post('/v1/audio/transcriptions', form({ response_format, model: model_id }));
    expect([answer.status, await relay.money()]).toEqual([502, before]);
  });

  test('falls back to the next candidate; a disconnect ends the call', async () => {
    second.answer(() => Response.json({ text: 'two' }));
    for (const fail of [() => new Response('<html>'), () => Response.json({ nothing: 1 })]) {
      first.answer(fail);
      const answer = await relay.post('/v1/audio/transcriptions', form({ provider: JSON.stringify(order.provider) }));
      expect(await answer.json()).toEqual({ text: 'two' });
    }
    second.answer(stall);
    const leaving = new AbortController();
    const asked = second.next();
    const init = { signal: leaving.signal };
    const answer = relay.post('/v1/audio/translations', form({ provider: '{"only":["two"]}' }), init);
    const seen = await asked;
    leaving.abort();
    await seen.aborted;
    expect((await answer).status).toBe(499);
  });
});
