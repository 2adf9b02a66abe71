import { describe, expect, test } from 'bun:test';
import { bodyOf, costOf, emptyVideo, faultsOf, fitting, framesOf, offered } from './video-fields.ts';
import type { VideoModel } from './videos-api.ts';

const model: VideoModel = {
  id: 'lab/one',
  name: 'One',
  description: '',
  created: 0,
  supported_aspect_ratios: ['16:9'],
  supported_resolutions: ['720p'],
  supported_durations: [4, 8],
  supported_sizes: null,
  supported_frame_images: ['last_frame'],
  generate_audio: false,
  seed: false,
  pricing: { per_second: 0.05 },
};

describe('video form', () => {
  test('requires a prompt or an image, and an https callback', () => {
    expect(faultsOf(emptyVideo).prompt).toBeDefined();
    expect(faultsOf({ ...emptyVideo, frames: { last_frame: 'data:' } })).toEqual({});
    expect(faultsOf({ ...emptyVideo, prompt: 'sea', callbackUrl: 'http://a.example' }).callbackUrl).toContain('https');
    expect(faultsOf({ ...emptyVideo, prompt: 'sea', duration: 1.5 }).duration).toBeDefined();
  });

  test('sends only the chosen fields', () => {
    expect(bodyOf({ ...emptyVideo, prompt: ' sea ' }, model)).toEqual({ model: 'lab/one', prompt: 'sea' });
    const full = {
      ...emptyVideo,
      prompt: 'sea',
      duration: '8',
      seed: 0,
      audio: true,
      frames: { last_frame: 'data:x' },
    };
    expect(bodyOf(full, { ...model, generate_audio: true })).toEqual({
      model: 'lab/one',
      prompt: 'sea',
      duration: 8,
      seed: 0,
      generate_audio: true,
      frame_images: [{ frame_type: 'last_frame', image_url: { url: 'data:x' } }],
    });
  });

  test('estimates the cost from the duration', () => {
    expect(costOf({ ...emptyVideo, duration: '8' }, model)).toBeCloseTo(0.4);
    expect(costOf(emptyVideo, model)).toBeCloseTo(0.2);
    expect(costOf(emptyVideo, { ...model, supported_durations: null })).toBeNull();
    expect(costOf(emptyVideo, { ...model, pricing: { per_second: 0 } })).toBe(0);
  });
});

test('switching the model keeps only the values it supports', () => {
  const asked = {
    ...emptyVideo,
    prompt: 'sea',
    aspectRatio: '16:9',
    resolution: '4K',
    duration: '5',
    seed: 3,
    audio: true,
  };
  const kept = fitting({ ...asked, frames: { first_frame: 'a', last_frame: 'b' } }, model);
  expect(kept).toEqual({ ...emptyVideo, prompt: 'sea', aspectRatio: '16:9', frames: { last_frame: 'b' } });
  expect(framesOf(model)).toEqual(['last_frame']);
  expect(offered([])).toBeNull();
  expect(offered([4, 8])).toEqual(['4', '8']);
});
