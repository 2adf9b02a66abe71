import { drawScene, sceneOf } from './scene.ts';
import { newPicture, Vp8Encoder } from './vp8.ts';
import { muxWebm } from './webm.ts';

export interface DemoVideoRequest {
  prompt: string;
  seconds: number;
  width: number;
  height: number;
  seed?: number;
  signal?: AbortSignal;
}

export interface DemoVideo {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: 'video/webm';
  framesPerSecond: number;
}

const fastest = 12;
const slowest = 4;
/** Macroblocks in one file: past it the pictures come more slowly, so that a large video costs no more than a small one. */
const macroblockBudget = 60_000;

/**
 * The built-in provider's video: a short animation drawn from a hash of the prompt, as VP8 in WebM.
 * Made without any codec library; gives other requests a turn every few milliseconds.
 */
export async function makeDemoVideo(request: DemoVideoRequest): Promise<DemoVideo> {
  const { prompt, seconds, width, height, seed = 0, signal } = request;
  const whole = [seconds, width, height].every(Number.isInteger);
  if (!whole || seconds < 1 || seconds > 60 || Math.min(width, height) < 16 || Math.max(width, height) > 1920) {
    throw new RangeError(
      `A demo video is 1 to 60 seconds of 16 to 1920 pixels a side, not ${seconds} s of ${width}x${height}.`,
    );
  }
  const picture = newPicture(width, height);
  const affordable = Math.floor(macroblockBudget / (picture.columns * picture.rows * seconds));
  const framesPerSecond = Math.min(fastest, Math.max(slowest, affordable));
  const scene = sceneOf(prompt, seed);
  const encoder = new Vp8Encoder(width, height);
  const frames: Uint8Array[] = [];
  const breathe = async (): Promise<void> => {
    await new Promise((next) => setImmediate(next));
    signal?.throwIfAborted();
  };
  const count = seconds * framesPerSecond;
  for (let index = 0; index < count; index += 1) {
    drawScene(scene, picture, index / framesPerSecond, (index + 1) / count);
    frames.push(await encoder.encode(picture, breathe));
  }
  const bytes = muxWebm(frames, { width, height, framesPerSecond, title: `Simulation: ${prompt}`.slice(0, 200) });
  return { bytes, contentType: 'video/webm', framesPerSecond };
}
