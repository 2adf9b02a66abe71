import { diskBlobs } from './disk.ts';
import type { Blobs } from './port.ts';
import { type S3Config, s3Blobs } from './s3.ts';

/** A bucket if one is configured, otherwise a folder. */
export async function openBlobs(config: { folder: string; s3?: S3Config }): Promise<Blobs> {
  return config.s3 ? s3Blobs(config.s3) : diskBlobs(config.folder);
}
