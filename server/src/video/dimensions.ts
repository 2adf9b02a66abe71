import { table } from '../lib/table.ts';
import type { VideoRequest } from './request.ts';

/** Length of the short side; `1K` and so on are named by the long side, in thousands. */
const shortSides = table<number>({ '480p': 480, '720p': 720, '768p': 768, '1080p': 1080 });
const longSides = table<number>({ '1K': 1024, '2K': 2048, '4K': 4096 });

/** Codecs work on pairs of pixels. */
const even = (n: number): number => Math.round(n / 2) * 2;

export interface Dimensions {
  width: number;
  height: number;
}

/** Pixel size of the requested shape, for upstreams that only know sizes. */
export function dimensionsOf(
  request: Pick<VideoRequest, 'size' | 'resolution' | 'aspect_ratio'>,
  fallback: { resolution: string; aspectRatio: string },
): Dimensions {
  if (request.size) {
    const [width, height] = request.size.split('x').map(Number);
    return { width: width!, height: height! };
  }
  const resolution = request.resolution ?? fallback.resolution;
  const [across, down] = (request.aspect_ratio ?? fallback.aspectRatio).split(':').map(Number) as [number, number];
  const ratio = Math.max(across, down) / Math.min(across, down);
  const short = shortSides[resolution] ?? (longSides[resolution] ?? 854) / ratio;
  const [s, l] = [even(short), even(short * ratio)];
  return across >= down ? { width: l, height: s } : { width: s, height: l };
}
