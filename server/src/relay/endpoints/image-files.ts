import type { Clock } from '../../lib/clock.ts';
import { imageType } from '../../lib/image-type.ts';
import type { Blobs, Body } from '../../platform/blobs/port.ts';
import type { BlobKeeper } from '../../platform/blobs/sweep.ts';
import type { Jobs } from '../../platform/durable/jobs.ts';

export interface ImageFileDeps {
  blobs: Blobs;
  clock: Clock;
  jobs: Pick<Jobs, 'enqueue' | 'work'>;
  baseUrl: string;
}

/** Lifetime of image URLs. */
const lifetimeMs = 24 * 3_600_000;
const queue = 'relay.expire-images';
export const imagePath = '/v1/files/images/';
/** `<expiry in seconds>-<122 random bits>.<extension>`: the name itself contains its expiry. */
const nameForm = /^([0-9a-z]{1,9})-[0-9a-f]{32}\.[a-z]{3,4}$/;

const blobKey = (name: string): string => `images/${name}`;

/** Stores images and returns their URLs. */
export async function keepImages(deps: ImageFileDeps, images: Uint8Array[]): Promise<string[]> {
  const expires = Math.floor((deps.clock.nowMs() + lifetimeMs) / 1000).toString(36);
  const files = images.map((bytes) => {
    const { type, extension } = imageType(bytes);
    return { bytes, type, name: `${expires}-${crypto.randomUUID().replaceAll('-', '')}.${extension}` };
  });
  // Enqueued before they are written: a crash in between leaves a needless job, never a permanent file.
  await deps.jobs.enqueue(queue, { names: files.map(({ name }) => name) }, { delayMs: lifetimeMs + 60_000 });
  await Promise.all(files.map(({ name, bytes, type }) => deps.blobs.put(blobKey(name), bytes, type)));
  return files.map(({ name }) => `${deps.baseUrl}${imagePath}${name}`);
}

export interface ImageFile {
  size: number;
  contentType: string;
  secondsLeft: number;
  content: Body;
}

/** Null if it never existed, or has expired although its file may still be there. */
export async function findImage(deps: Pick<ImageFileDeps, 'blobs' | 'clock'>, name: string): Promise<ImageFile | null> {
  const form = nameForm.exec(name);
  const secondsLeft = form ? Number.parseInt(form[1]!, 36) - Math.floor(deps.clock.nowMs() / 1000) : 0;
  if (secondsLeft <= 0) return null;
  const found = await deps.blobs.stat(blobKey(name));
  const content = found && (await deps.blobs.body(blobKey(name)));
  return found && content && { ...found, secondsLeft, content };
}

/** For files whose job was lost. */
export const imageKeeper = (clock: Clock): BlobKeeper => ({
  prefix: 'images/',
  needed: async (keys) => new Set(keys.filter((key) => expiryOf(key) * 1000 > clock.nowMs())),
});

/** Unix seconds; what has another name was not written here. */
function expiryOf(key: string): number {
  const form = nameForm.exec(key.slice('images/'.length));
  return form ? Number.parseInt(form[1]!, 36) : Number.POSITIVE_INFINITY;
}

/** Call before the job queue starts. */
export function workImageExpiry({ jobs, blobs }: Pick<ImageFileDeps, 'jobs' | 'blobs'>): void {
  jobs.work(queue, { concurrency: 1 }, async ({ data }) => {
    for (const name of (data as { names: string[] }).names) await blobs.delete(blobKey(name));
  });
}
