import clip from './clip.json';

export interface DemoVideoRequest {
  prompt: string;
  seconds: number;
  width: number;
  height: number;
}

export interface DemoVideo {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: 'video/webm';
}

/** A second of VP8 starting with a key frame: rotating discs and the word "simulation". */
const frames = clip.map((frame) => Buffer.from(frame, 'base64'));
const [clipWidth, clipHeight] = [320, 180];

/** A Matroska element (RFC 9559). Sizes always take eight bytes, so that positions are known before writing. */
function element(id: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE((1n << 56n) | BigInt(body.length));
  return Buffer.concat([Buffer.from(id.toString(16), 'hex'), size, body]);
}

function number(id: number, value: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeBigUInt64BE(BigInt(value));
  return element(id, body);
}

const text = (id: number, value: string): Buffer => element(id, Buffer.from(value));

const header = element(
  0x1a45dfa3, // EBML
  text(0x4282, 'webm'), // DocType
  number(0x4287, 4), // DocTypeVersion
  number(0x4285, 2), // DocTypeReadVersion
);

function infoOf(title: string, seconds: number): Buffer {
  const durationMs = Buffer.alloc(8);
  durationMs.writeDoubleBE(seconds * 1000);
  return element(
    0x1549a966, // Info
    number(0x2ad7b1, 1_000_000), // TimestampScale: milliseconds
    element(0x4489, durationMs),
    text(0x7ba9, title),
    text(0x4d80, 'svc simulation'), // MuxingApp
    text(0x5741, 'svc simulation'), // WritingApp
  );
}

/** The frames keep their size; players scale them to the requested one. */
function trackOf(width: number, height: number): Buffer {
  const pixels = [number(0xb0, clipWidth), number(0xba, clipHeight)];
  const video = element(0xe0, ...pixels, number(0x54b0, width), number(0x54ba, height));
  // TrackNumber, TrackUID, TrackType: video.
  const entry = element(0xae, number(0xd7, 1), number(0x73c5, 1), number(0x83, 1), text(0x86, 'V_VP8'), video);
  return element(0x1654ae6b, entry);
}

/** The clip once, as one second of the video. */
function clusterOf(second: number): Buffer {
  const blocks = frames.map((frame, index) => {
    const offsetMs = Math.round((index * 1000) / frames.length);
    // Track 1, time within the cluster, keyframe flag.
    return element(0xa3, Buffer.from([0x81, offsetMs >> 8, offsetMs & 255, index === 0 ? 0x80 : 0]), frame);
  });
  return element(0x1f43b675, number(0xe7, second * 1000), ...blocks);
}

/**
 * Where each second starts: without it players cannot seek before everything is loaded. All clusters have equal length.
 */
const cuesOf = (starts: number[]): Buffer =>
  element(
    0x1c53bb6b,
    ...starts.map((start, second) =>
      element(0xbb, number(0xb3, second * 1000), element(0xb7, number(0xf7, 1), number(0xf1, start))),
    ),
  );

/**
 * The built-in provider's video: the same clip for every prompt, of the requested length and size, titled by the
 * prompt.
 */
export function makeDemoVideo({ prompt, seconds, width, height }: DemoVideoRequest): DemoVideo {
  const whole = [seconds, width, height].every(Number.isInteger);
  if (!whole || seconds < 1 || seconds > 60 || Math.min(width, height) < 16 || Math.max(width, height) > 1920) {
    throw new RangeError(
      `A demo video is 1 to 60 seconds of 16 to 1920 pixels a side, not ${seconds} s of ${width}x${height}.`,
    );
  }
  const clusters = Array.from({ length: seconds }, (_, second) => clusterOf(second));
  const before = Buffer.concat([infoOf(`Simulation: ${prompt}`.slice(0, 200), seconds), trackOf(width, height)]);
  const first = before.length + cuesOf(clusters.map(() => 0)).length;
  const cues = cuesOf(clusters.map((cluster, second) => first + second * cluster.length));
  const segment = element(0x18538067, before, cues, ...clusters);
  return { bytes: new Uint8Array(Buffer.concat([header, segment])), contentType: 'video/webm' };
}
