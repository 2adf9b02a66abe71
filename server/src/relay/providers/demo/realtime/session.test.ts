import { expect, test } from 'bun:test';
import { until } from '../../../../lib/until.fixture.ts';
import type { Json } from '../../../wire/conversation.ts';
import { DemoRealtime } from './session.ts';

function opened(): { demo: DemoRealtime; events: Json[]; types(): unknown[] } {
  const demo = new DemoRealtime('demo/realtime', 0);
  const events: Json[] = [];
  const heard = (payload: Buffer): void => void events.push(JSON.parse(payload.toString()) as Json);
  demo.listen({ message: heard, heard: () => {}, closed: () => {} });
  demo.resume();
  return { demo, events, types: () => events.map(({ type }) => type) };
}
const say = (demo: DemoRealtime, ...events: Json[]): void => {
  for (const event of events) demo.send(JSON.stringify(event));
};

test('audio input is transcribed on request and answered with audio', async () => {
  const { demo, events, types } = opened();
  say(
    demo,
    { type: 'session.update', session: { audio: { input: { transcription: { model: 'demo/transcribe' } } } } },
    { type: 'input_audio_buffer.append', audio: Buffer.alloc(96_000).toString('base64') },
    { type: 'input_audio_buffer.commit' },
    { type: 'response.create' },
  );
  await until('it has answered', () => types().includes('response.done'));
  const transcript = events.find(({ type }) => String(type).endsWith('transcription.completed'));
  expect(transcript).toMatchObject({ transcript: '2.0 seconds of audio', usage: { seconds: 2 } });
  const sounds = events.filter(({ type }) => type === 'response.output_audio.delta');
  const bytes = sounds.reduce((sum, { delta }) => sum + Buffer.from(String(delta), 'base64').length, 0);
  const { usage } = events.at(-1)!.response as { usage: Json };
  expect(usage).toMatchObject({ output_token_details: { audio_tokens: Math.ceil((bytes / 48_000) * 20) } });
});

test('invalid events are rejected, and a response can be cancelled', async () => {
  const { demo, events, types } = opened();
  const senseless: Json[] = [
    { type: 'tea' },
    { type: '__proto__' },
    { type: { toString: 1 } },
    {},
    { type: 'input_audio_buffer.commit' },
    { type: 'conversation.item.create' },
    { type: 'conversation.item.create', item: { text: 'x'.repeat(600_000) } },
    { type: 'session.update', session: { instructions: 'x'.repeat(600_000) } },
  ];
  say(demo, ...senseless);
  demo.send('not JSON');
  demo.send(new Uint8Array([1]));
  expect(types().slice(1)).toEqual(Array.from({ length: 10 }, () => 'error'));
  const odd = { type: 'message', role: 'robot', content: 5 };
  say(demo, { type: 'session.update', session: { audio: null } }, { type: 'conversation.item.create', item: odd });
  say(demo, { type: 'response.create' });
  await until('it is refused', () => types().filter((type) => type === 'error').length === 11);
  for (let i = 0; i < 600; i += 1) say(demo, { type: 'input_audio_buffer.clear' });
  expect(demo.unsentBytes).toBe(0);
  demo.pause();
  for (let i = 0; i < 600; i += 1) say(demo, { type: 'input_audio_buffer.clear' });
  expect(demo.unsentBytes).toBe(Number.POSITIVE_INFINITY);
  const other = opened();
  say(other.demo, { type: 'response.create' }, { type: 'response.create' });
  expect(other.types()).toEqual(['session.created', 'error']);
  other.demo.pause();
  await until('it talks', () => other.demo.waiting > 40);
  say(other.demo, { type: 'response.cancel' });
  other.demo.resume();
  await until('it has ended', () => other.types().includes('response.done'));
  expect(other.events.at(-1)).toMatchObject({ response: { status: 'cancelled' } });
  expect(events.length).toBeGreaterThan(10);
});
