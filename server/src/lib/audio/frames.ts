import { isTurn, mostSteps, type Reading, secondsOfRest } from './sound.ts';

/** One frame of a stream in which every frame has a header. */
export interface Frame {
  bytes: number;
  seconds: number;
  /** Header bits that are equal in all frames of a file. */
  mark: number;
}

export type FrameReader = (file: Buffer, at: number) => Frame | null;

/** Total duration and size of all frames from `start` on, skipping anything in between. */
export function* countFrames(
  file: Buffer,
  start: number,
  frameAt: FrameReader,
): Reading<{ seconds: number; bytes: number }> {
  yield;
  const mark = yield* markOf(file, start, frameAt);
  yield;
  let [seconds, bytes] = [0, 0];
  let at = file.indexOf(0xff, start);
  for (let steps = 0; at >= 0 && steps < mostSteps; steps += 1) {
    if (isTurn(steps)) yield;
    const frame = frameAt(file, at);
    const isOne = frame !== null && frame.mark === mark;
    if (isOne) {
      seconds += frame.seconds;
      bytes += frame.bytes;
    }
    at = file.indexOf(0xff, at + (isOne ? frame.bytes : 1));
  }
  return at < 0 ? { seconds, bytes } : { seconds: seconds + secondsOfRest(file, at), bytes };
}

/**
 * The header bits of the first frame that is followed by another of its kind; else of the first that looks like one.
 */
function* markOf(file: Buffer, start: number, frameAt: FrameReader): Reading<number | undefined> {
  let first: number | undefined;
  let at = file.indexOf(0xff, start);
  for (let steps = 0; at >= 0 && steps < mostSteps; steps += 1, at = file.indexOf(0xff, at + 1)) {
    if (isTurn(steps)) yield;
    const frame = frameAt(file, at);
    if (!frame) continue;
    first ??= frame.mark;
    if (frameAt(file, at + frame.bytes)?.mark === frame.mark) return frame.mark;
  }
  return first;
}
