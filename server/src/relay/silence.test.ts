import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

const clock = manualClock();
const limitSeconds = 120;
let relay: RelayTest;
let upstream: ScriptedUpstream;
/** The body that the upstream is writing. */
let body: ReadableStreamDefaultController<Uint8Array>;

beforeAll(async () => {
  relay = await openRelayTest({ clock });
  upstream = scriptedUpstream();
  const models = [
    { model_id: 'acme/m', model_name: 'm' },
    { model_id: 'acme/voice', model_name: 'v', type: 'speech' },
  ];
  await addUpstream(relay.test, upstream.url, models, { timeout_ms: limitSeconds * 1_000 });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const write = (text: string) => body.enqueue(new TextEncoder().encode(text));
const say = (delta: object, finish: string | null = null) =>
  write(`data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);

const begin = (first: () => void, type: string) =>
  upstream.answer(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            body = controller;
            first();
          },
        }),
        { headers: { 'content-type': type } },
      ),
  );

/** Second by second, so that what is due in between happens. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    await Bun.sleep(0);
  }
}

/** What a client has read so far, and whether that was all. */
function follow(answer: Response): { text: string; ended: boolean; failed: boolean } {
  const seen = { text: '', ended: false, failed: false };
  const read = async () => {
    for await (const bytes of answer.body!) seen.text += Buffer.from(bytes).toString('latin1');
  };
  void read()
    .catch(() => {
      seen.failed = true;
    })
    .finally(() => {
      seen.ended = true;
    });
  return seen;
}

const chat = { model: 'acme/m', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'hi' }] };
const contents = { contents: [{ parts: [{ text: 'hi' }] }] };
const formats = [
  ['/v1/chat/completions', chat, /^: ping$/gm, '[DONE]', '"code":"timeout"'],
  ['/v1/messages', chat, /^event: ping$/gm, 'message_stop', 'timeout_error'],
  ['/v1beta/models/acme/m:streamGenerateContent?alt=sse', contents, /(?<=\n\n)\n\n/g, '"STOP"', '"code":504'],
] as const;

describe.each(formats)('a stream at %s', (path, request, ping, end, timeout) => {
  const ask = async () => {
    begin(() => say({ content: 'Hello' }), 'text/event-stream');
    const seen = follow(await relay.post(path, request));
    await until('the first words have come', () => seen.text.includes('Hello'));
    return seen;
  };
  const pings = (text: string) => text.match(ping)?.length ?? 0;

  test('may be silent up to the channel’s timeout and is kept open', async () => {
    const seen = await ask();
    const before = pings(seen.text);
    await pass(limitSeconds - 20);
    expect(seen.ended).toBe(false);
    // Every fifteen seconds: proxies give a connection up after thirty or sixty.
    await until('the client was pinged', () => pings(seen.text) - before >= 5);
    say({ content: ' again' });
    say({}, 'stop');
    write('data: [DONE]\n\n');
    body.close();
    await until('the stream has ended', () => seen.ended);
    expect(seen.text).toContain(' again');
    expect(seen.text).toContain(end);
    if (contents === request) expect(seen.text).not.toMatch(/^(?!data: |$)/m);
  });

  test('ends after the timeout with an error', async () => {
    const seen = await ask();
    await pass(limitSeconds + 5);
    await until('the stream has ended', () => seen.ended);
    expect(seen.text).toContain(timeout);
    expect(seen.text).not.toContain(end);
  });
});

test('speech may be silent up to the channel’s timeout', async () => {
  begin(() => write('first'), 'audio/mpeg');
  const seen = follow(await relay.post('/v1/audio/speech', { model: 'acme/voice', input: 'hi', voice: 'alloy' }));
  await pass(limitSeconds - 20);
  expect(seen.ended).toBe(false);
  write('last');
  body.close();
  await until('the sound has ended', () => seen.ended);
  expect(seen).toEqual({ text: 'firstlast', ended: true, failed: false });
});
