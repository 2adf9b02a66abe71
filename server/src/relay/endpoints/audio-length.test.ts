import { describe, expect, test } from 'bun:test';
import { AudioMeter, minutesOfText } from './audio-length.ts';

function wavHead(byteRate: number): Uint8Array {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt32LE(byteRate, 28);
  head.write('data', 36);
  head.writeUInt32LE(0xffffffff, 40);
  return head;
}

describe('audio length from bytes', () => {
  test('WAV in small chunks and of unknown size', () => {
    const meter = new AudioMeter('wav', 99);
    const head = wavHead(48_000);
    for (const byte of head) meter.add(Uint8Array.of(byte));
    for (let i = 0; i < 60; i++) meter.add(new Uint8Array(48_000));
    expect(meter.minutes()).toBe(1);
    expect(meter.bytes).toBe(44 + 60 * 48_000);
  });

  test('a WAV header that declares hours for a few bytes is ignored', () => {
    const meter = new AudioMeter('wav', 99);
    meter.add(wavHead(1));
    meter.add(new Uint8Array(48_000));
    expect(meter.minutes()).toBeCloseTo(48_044 / 2_000 / 60, 10);
  });

  test('PCM, which has no header', () => {
    const meter = new AudioMeter('pcm', 99);
    meter.add(new Uint8Array(48_000 * 30));
    expect(meter.minutes()).toBe(0.5);
  });

  test('MP3 after ID3 tags', () => {
    const tags = Buffer.from('ID3\x04\x00\x00\x00\x00\x01\x00', 'latin1');
    // MPEG-1 layer III at 128 kbit/s.
    const frame = Uint8Array.of(0xff, 0xfb, 0x90, 0x00);
    const meter = new AudioMeter('mp3', 99);
    meter.add(tags);
    meter.add(new Uint8Array(128));
    meter.add(frame);
    meter.add(new Uint8Array(16_000 * 6 - 4));
    expect(meter.minutes()).toBeCloseTo(0.1, 10);
  });

  test('for other formats the length is estimated from the text, limited by the number of bytes', () => {
    const minutes = minutesOfText('x'.repeat(900), 2);
    expect(minutes).toBe(0.5);
    const whole = new AudioMeter('opus', minutes);
    whole.add(new Uint8Array(1_000_000));
    expect(whole.minutes()).toBe(0.5);
    const cut = new AudioMeter('opus', minutes);
    cut.add(new Uint8Array(2_000 * 6));
    expect(cut.minutes()).toBeCloseTo(0.1, 10);
  });
});
