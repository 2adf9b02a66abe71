import { expect, test } from 'bun:test';
import type { Candidate } from '../routing/candidate.ts';
import { abilitiesOf, whyNot } from './candidates.ts';
import type { VideoRequest } from './request.ts';

const candidate = (kind: string, capabilities: Record<string, unknown>): Candidate =>
  ({ modelId: 'films/one', channel: { kind }, capabilities }) as unknown as Candidate;
const request = (fields: Partial<VideoRequest>): VideoRequest =>
  ({ model: 'films/one', prompt: 'p', frame_images: [], input_references: [], ...fields }) as VideoRequest;
const refusal = (kind: string, capabilities: Record<string, unknown>, fields: Partial<VideoRequest>) =>
  whyNot(candidate(kind, capabilities), request(fields), 'films/one');

test('parameters that a kind of channel cannot express are rejected and not listed, whatever the model declares', () => {
  // Said by an operator of a model whose channel speaks a language without them.
  const boasting = { seed: true, generate_audio: true, supported_frame_images: ['first_frame', 'last_frame'] };
  for (const said of [boasting, {}]) {
    expect(refusal('openai', said, { seed: 1 })).toContain('seed is not supported');
    expect(refusal('openai', said, { generate_audio: false })).toContain('generate_audio is not supported');
    expect(abilitiesOf(candidate('openai', said))).toMatchObject({ seed: false, generate_audio: false });
  }
  expect(abilitiesOf(candidate('openai', boasting)).supported_frame_images).toEqual(['first_frame']);
  expect(refusal('openrouter', boasting, { seed: 1, generate_audio: true })).toBeNull();
  expect(abilitiesOf(candidate('openrouter', boasting))).toMatchObject(boasting);
});

test('a resolution is sent as a size that the model supports', () => {
  const sizes = { supported_sizes: ['1280x720', '720x1280'], supported_resolutions: ['720p', '1080p'] };
  expect(refusal('openai', sizes, { resolution: '720p' })).toBeNull();
  expect(refusal('openai', sizes, { resolution: '720p', aspect_ratio: '9:16' })).toBeNull();
  expect(refusal('openai', sizes, { resolution: '1080p' })).toContain('resolution 1080p is not supported');
  expect(refusal('openai', sizes, { aspect_ratio: '1:1' })).toContain('aspect_ratio 1:1 is not supported');
  expect(abilitiesOf(candidate('openai', sizes)).supported_resolutions).toEqual(['720p']);
  // Who says nothing of sizes restricts nothing, and who takes resolutions as they are needs no sizes.
  expect(refusal('openai', {}, { resolution: '1080p' })).toBeNull();
  expect(refusal('openrouter', sizes, { resolution: '1080p' })).toBeNull();
});
