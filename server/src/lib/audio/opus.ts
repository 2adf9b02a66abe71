/** Frame duration in milliseconds by the configuration in a packet's first byte (RFC 6716 §3.1). */
const frameMs = [
  ...[10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60],
  ...[10, 20, 10, 20],
  ...[2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20],
];
/** The longest packet (RFC 6716 §3.4). */
const mostMs = 120;

/** Duration of an Opus packet, which its own bytes tell. */
export function opusPacketSeconds(file: Buffer, at: number): number {
  const toc = file[at] ?? 0;
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (file[at + 1] ?? 0) & 63;
  return Math.min(frameMs[toc >> 3]! * frames, mostMs) / 1000;
}
