import { describe, expect, test } from 'bun:test';
import { durationOf } from '../../../../lib/audio/duration.ts';
import { call, type Loose } from '../demo-call.test-support.ts';
import { demoFetch } from '../demo-fetch.ts';

const signal = new AbortController().signal;

async function speak(
  input: string,
  extra: Record<string, unknown> = {},
): Promise<{ type: string | null; bytes: Uint8Array<ArrayBuffer> }> {
  const response = await demoFetch({
    path: '/audio/speech',
    body: { model: 'demo/speech', input, ...extra },
    stream: false,
    signal,
  });
  return { type: response.headers.get('content-type'), bytes: new Uint8Array(await response.arrayBuffer()) };
}

async function transcribe(
  fields: Record<string, string>,
  bytes: Uint8Array<ArrayBuffer>,
  path = '/audio/transcriptions',
): Promise<Response> {
  const form = new FormData();
  form.set('file', new File([bytes], 'memo.wav'));
  form.set('model', 'demo/transcribe');
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  return demoFetch({ path, body: form, stream: false, signal });
}

describe('speech', () => {
  test('all formats have the same duration and their own content type', async () => {
    const text = 'Good morning, this is only a test. It has two sentences.';
    const wav = await speak(text, { response_format: 'wav' });
    expect(wav.type).toBe('audio/wav');
    const seconds = await durationOf(wav.bytes);
    expect(seconds).toBeGreaterThan(1);
    const mp3 = await speak(text);
    expect(mp3.type).toBe('audio/mpeg');
    expect(await durationOf(mp3.bytes)).toBeCloseTo(seconds, 1);
    const pcm = await speak(text, { response_format: 'pcm' });
    expect(pcm.bytes.length).toBe(wav.bytes.length - 44);
  });

  test('takes longer for longer texts and lower speeds', async () => {
    const length = async (text: string, speed = 1): Promise<number> =>
      durationOf((await speak(text, { response_format: 'wav', speed })).bytes);
    const short = await length('one two three');
    expect(await length('one two three four five six')).toBeGreaterThan(short);
    expect(await length('one two three', 0.5)).toBeGreaterThan(short * 1.5);
  });

  test.each([
    [{ response_format: 'opus' }, 'unsupported_parameter', 'response_format'],
    [{ response_format: 'flac' }, 'unsupported_parameter', 'response_format'],
    [{ response_format: 'aac' }, 'unsupported_parameter', 'response_format'],
    [{ response_format: 'midi' }, 'invalid_value', 'response_format'],
    [{ speed: 5 }, 'invalid_value', 'speed'],
    [{ input: '' }, 'invalid_value', 'input'],
  ])('%o is rejected', async (extra, code, param) => {
    const answer = await call('/audio/speech', { model: 'demo/speech', input: 'hi', ...extra });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, param });
  });
});

describe('transcriptions', () => {
  test('say that they are simulated and report the real duration', async () => {
    const { bytes } = await speak('one two three', { response_format: 'wav' });
    const body: Loose = await (await transcribe({ response_format: 'verbose_json' }, bytes)).json();
    expect(body.text).toStartWith('This is a simulated transcription of memo.wav');
    expect(body).toMatchObject({ task: 'transcribe', language: 'english', duration: await durationOf(bytes) });
    expect(body.segments[0].start).toBe(0);
    expect(body.segments.at(-1).end).toBeCloseTo(body.duration, 2);
    expect(body.words).toBeUndefined();
    const worded: Loose = await (
      await transcribe({ response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }, bytes)
    ).json();
    expect(worded.words[0]).toMatchObject({ word: 'This', start: 0 });
    const plain: Loose = await (await transcribe({ prompt: 'names: Ada' }, bytes)).json();
    expect(plain.text).toContain('names: Ada');
    expect(plain.usage).toEqual({ type: 'duration', seconds: Math.ceil(await durationOf(bytes)) });
  });

  test('support text, srt and vtt', async () => {
    const { bytes } = await speak('one two three', { response_format: 'wav' });
    expect(await (await transcribe({ response_format: 'text' }, bytes)).text()).toStartWith('This is a simulated');
    const srt = await (await transcribe({ response_format: 'srt' }, bytes)).text();
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:\d\d,\d{3}\nThis is a simulated .+\n\n2\n00:/);
    const vtt = await transcribe({ response_format: 'vtt' }, bytes, '/audio/translations');
    expect(vtt.headers.get('content-type')).toStartWith('text/vtt');
    expect(await vtt.text()).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:\d\d\.\d{3}\nThis is a simulated translation/);
  });

  test('reject a missing or empty file and an unknown format', async () => {
    const faults = await Promise.all([
      call('/audio/transcriptions', new FormData()),
      call('/audio/transcriptions', { model: 'demo/transcribe' }),
      transcribe({}, new Uint8Array()).then(async (response) => ({
        status: response.status,
        body: (await response.json()) as Loose,
      })),
    ]);
    expect(faults.map((fault) => [fault.status, fault.body.error.param])).toEqual(Array(3).fill([400, 'file']));
    expect((await transcribe({ response_format: 'doc' }, new Uint8Array(9))).status).toBe(400);
    expect((await transcribe({ model: 'demo/nothing' }, new Uint8Array(9))).status).toBe(404);
  });

  test('tolerate broken WAV headers', async () => {
    const broken = Buffer.alloc(60);
    broken.write('RIFF', 0);
    broken.write('WAVEfmt ', 8);
    broken.writeUInt32LE(0xffffffff, 16);
    expect(await durationOf(broken)).toBeGreaterThan(0);
  });
});
