/** Element names of Matroska (RFC 9559) and EBML (RFC 8794), as far as one video track needs them. */
const ids = {
  ebml: 0x1a45dfa3,
  ebmlVersion: 0x4286,
  ebmlReadVersion: 0x42f7,
  ebmlMaxIdLength: 0x42f2,
  ebmlMaxSizeLength: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  title: 0x7ba9,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  flagLacing: 0x9c,
  codecId: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;

function element(name: keyof typeof ids, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const id = ids[name].toString(16);
  const size = Buffer.alloc(8);
  // Sizes always take eight bytes, so that positions are known before they are written.
  size.writeBigUInt64BE((1n << 56n) | BigInt(body.length));
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

const number = (name: keyof typeof ids, value: number): Buffer => {
  const body = Buffer.alloc(8);
  body.writeBigUInt64BE(BigInt(value));
  return element(name, body);
};

const text = (name: keyof typeof ids, value: string): Buffer => element(name, Buffer.from(value));

const float = (name: keyof typeof ids, value: number): Buffer => {
  const body = Buffer.alloc(8);
  body.writeDoubleBE(value);
  return element(name, body);
};

export interface WebmOptions {
  width: number;
  height: number;
  framesPerSecond: number;
  title: string;
}

interface Cluster {
  startMs: number;
  bytes: Buffer;
}

/** VP8 key frames as a WebM file with a table for seeking. */
export function muxWebm(
  frames: Uint8Array[],
  { width, height, framesPerSecond, title }: WebmOptions,
): Uint8Array<ArrayBuffer> {
  const durationMs = (frames.length * 1000) / framesPerSecond;
  const header = element(
    'ebml',
    number('ebmlVersion', 1),
    number('ebmlReadVersion', 1),
    number('ebmlMaxIdLength', 4),
    number('ebmlMaxSizeLength', 8),
    text('docType', 'webm'),
    number('docTypeVersion', 4),
    number('docTypeReadVersion', 2),
  );
  const info = element(
    'info',
    number('timestampScale', 1_000_000),
    float('duration', durationMs),
    text('title', title),
    text('muxingApp', 'svc simulation'),
    text('writingApp', 'svc simulation'),
  );
  const clusters = clustersOf(frames, framesPerSecond);
  const tracks = trackOf(width, height);
  const before = info.length + tracks.length;
  const cues = cuesOf(clusters, before + cuesOf(clusters, 0).length);
  return new Uint8Array(
    Buffer.concat([header, element('segment', info, tracks, cues, ...clusters.map((cluster) => cluster.bytes))]),
  );
}

const trackOf = (width: number, height: number): Buffer =>
  element(
    'tracks',
    element(
      'trackEntry',
      number('trackNumber', 1),
      number('trackUid', 1),
      number('trackType', 1),
      number('flagLacing', 0),
      text('codecId', 'V_VP8'),
      element('video', number('pixelWidth', width), number('pixelHeight', height)),
    ),
  );

/** One cluster a second; every frame is a key frame, so that any of them can be sought. */
function clustersOf(frames: Uint8Array[], framesPerSecond: number): Cluster[] {
  const clusters: Cluster[] = [];
  for (let first = 0; first < frames.length; first += framesPerSecond) {
    const startMs = Math.round((first * 1000) / framesPerSecond);
    const blocks = frames.slice(first, first + framesPerSecond).map((frame, index) => {
      const offset = Math.round(((first + index) * 1000) / framesPerSecond) - startMs;
      // Track 1, time within the cluster, key frame.
      return element('simpleBlock', Buffer.from([0x81, offset >> 8, offset & 255, 0x80]), frame);
    });
    clusters.push({ startMs, bytes: element('cluster', number('timestamp', startMs), ...blocks) });
  }
  return clusters;
}

function cuesOf(clusters: Cluster[], position: number): Buffer {
  let at = position;
  const points = clusters.map((cluster) => {
    const place = element('cueTrackPositions', number('cueTrack', 1), number('cueClusterPosition', at));
    at += cluster.bytes.length;
    return element('cuePoint', number('cueTime', cluster.startMs), place);
  });
  return element('cues', ...points);
}
