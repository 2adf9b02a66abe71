import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { timedHex } from '../lib/ids.ts';
import { rowBytes } from '../platform/storage-quota/sizes.ts';
import { type BatchesDeps, noFile } from './deps.ts';
import { limits } from './limits.ts';
import * as store from './store/files.ts';
import type { FileRow } from './store/tables.ts';

/** Hexadecimal, as blob names have no capitals. */
const newFileId = (nowMs: number): string => `file-${timedHex(nowMs, 24)}`;
export const blobOf = (fileId: string): string => `files/${fileId}`;

/** An upload that is incomplete by then was interrupted together with its process. */
const uploadSeconds = 6 * 3_600;
const sweepFiles = 200;

export interface FileAbout {
  filename: string;
  purpose: string;
  expirySeconds: number | null;
}

export interface Upload {
  /** Stores the content; refuses more than a file may have. */
  store(content: ReadableStream<Uint8Array>): Promise<void>;
  /** Publishes the file; before that it is invisible. */
  finish(about: FileAbout): Promise<FileRow>;
  /** Discards what was received. */
  giveUp(): Promise<void>;
}

type Kept = Pick<BatchesDeps, 'db' | 'blobs' | 'clock'>;
type FileDeps = Kept & Pick<BatchesDeps, 'storage' | 'maxFileBytes' | 'maxUserBytes'>;

/**
 * The row is written before the bytes: a crash in between leaves a row that the sweep finds, and concurrent uploads see
 * each other's reserved size.
 */
export async function beginFile({ db, blobs, clock }: Kept, userId: number, expectedBytes: number) {
  const id = newFileId(clock.nowMs());
  const blob = blobOf(id);
  const now = nowSeconds(clock);
  await store.insertFile(db, {
    ...{ id, user_id: userId, purpose: '', filename: '', bytes: expectedBytes, blob, ready: 0 },
    ...{ created_at: now, expires_at: now + uploadSeconds },
  });
  const giveUp = async () => {
    await blobs.delete(blob);
    await store.dropFile(db, id);
  };
  return { id, blob, now, giveUp };
}

/** A file written by the service itself: invisible until published, and deleted if that never happens. */
export async function putFile(deps: Kept, userId: number, lines: Uint8Array | ReadableStream<Uint8Array>) {
  const file = await beginFile(deps, userId, 0);
  try {
    return { ...file, ...(await deps.blobs.put(file.blob, lines, 'application/x-jsonl')) };
  } catch (error) {
    await file.giveUp();
    throw error;
  }
}

export async function beginUpload(deps: FileDeps, userId: number, expectedBytes: number): Promise<Upload> {
  const { db, blobs } = deps;
  const expected = Math.max(0, expectedBytes);
  await deps.storage.take(userId, expected + rowBytes);
  const { id, blob, now, giveUp } = await beginFile(deps, userId, expected);
  let bytes = 0;
  try {
    await refuseFull(deps, userId);
  } catch (error) {
    await giveUp();
    throw error;
  }
  return {
    store: async (content) => {
      bytes = (await blobs.put(blob, content, 'application/octet-stream')).size;
    },
    finish: async ({ filename, purpose, expirySeconds }) => {
      if (bytes > deps.maxFileBytes())
        throw new AppError('request_too_large', `A file may have at most ${deps.maxFileBytes()} bytes.`, {
          param: 'file',
        });
      if (bytes > expected) await deps.storage.take(userId, bytes - expected);
      const expiresAt = expirySeconds === null ? null : now + expirySeconds;
      const row = await store.completeFile(db, id, { purpose, filename, bytes, expires_at: expiresAt });
      if (!row) throw noFile(id);
      // The length may be unknown beforehand.
      await refuseFull(deps, userId);
      return row;
    },
    giveUp,
  };
}

export async function refuseFull({ db, maxUserBytes }: FileDeps, userId: number): Promise<void> {
  if ((await store.bytesOfUser(db, userId)) <= maxUserBytes()) return;
  throw new AppError(
    'request_too_large',
    `Your files together may have at most ${maxUserBytes()} bytes. Delete some first.`,
    {
      ...{ param: 'file', details: { error_code: 'storage_quota_exceeded' } },
    },
  );
}

/** A file as its owner's requests may refer to it. */
export async function ownFile(
  { db, blobs, clock }: Pick<BatchesDeps, 'db' | 'blobs' | 'clock'>,
  userId: number,
  id: string,
) {
  const file = await store.findFile(db, userId, id, nowSeconds(clock));
  if (!file) return null;
  const content = async () => {
    const stream = await blobs.read(file.blob);
    return stream && new Uint8Array(await new Response(stream).arrayBuffer());
  };
  return { filename: file.filename, bytes: file.bytes, content };
}

/** Files with requests or results expire, others are kept until deleted. */
export const defaultExpiry = (purpose: string): number | null => (purpose === 'batch' ? limits.keptSeconds : null);

export async function removeFile({ db, blobs }: Pick<BatchesDeps, 'db' | 'blobs'>, { id, blob }: FileRow) {
  if (!(await store.deleteFile(db, id))) {
    if (!(await store.isThere(db, id))) throw noFile(id);
    throw new AppError('conflict', `File '${id}' is the input of a batch that has not ended. Cancel the batch first.`);
  }
  await blobs.delete(blob);
}

/** The bytes first: a row without them is found again, bytes without a row are not. */
async function dropAll({ db, blobs }: Pick<BatchesDeps, 'db' | 'blobs'>, files: Pick<FileRow, 'id' | 'blob'>[]) {
  for (const { id, blob } of files) {
    await blobs.delete(blob);
    await store.dropFile(db, id);
  }
  return files.length;
}

export async function sweepExpired(deps: Pick<BatchesDeps, 'db' | 'blobs' | 'clock'>): Promise<void> {
  await dropAll(deps, await store.findExpired(deps.db, nowSeconds(deps.clock), sweepFiles));
}

export async function forgetFiles(deps: Pick<BatchesDeps, 'db' | 'blobs'>, userId: number): Promise<void> {
  while ((await dropAll(deps, await store.filesOf(deps.db, userId, sweepFiles))) > 0);
}
