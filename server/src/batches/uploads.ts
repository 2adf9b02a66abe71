import { createHash } from 'node:crypto';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { timedHex } from '../lib/ids.ts';
import { streamOf } from '../lib/stream-of.ts';
import type { Blobs } from '../platform/blobs/port.ts';
import { rowBytes } from '../platform/storage-quota/sizes.ts';
import { type BatchesDeps, noFile, noUpload } from './deps.ts';
import { beginFile, blobOf, type FileAbout, refuseFull } from './files.ts';
import { limits } from './limits.ts';
import { completeFile, findFile } from './store/files.ts';
import type { FileRow, PartRow, UploadRow } from './store/tables.ts';
import * as store from './store/uploads.ts';

type Kept = Pick<BatchesDeps, 'db' | 'blobs' | 'clock'>;

/** An upload in its public form, with its file once it has one. */
export interface Told {
  upload: UploadRow;
  file: FileRow | null;
}

export async function createUpload(
  deps: BatchesDeps,
  userId: number,
  { filename, purpose, expirySeconds, bytes }: FileAbout & { bytes: number },
): Promise<Told> {
  const { db, clock, maxUploadBytes } = deps;
  if (bytes > maxUploadBytes())
    throw new AppError('request_too_large', `A file uploaded in parts may have at most ${maxUploadBytes()} bytes.`, {
      param: 'bytes',
    });
  await deps.storage.take(userId, bytes + rowBytes);
  const now = nowSeconds(clock);
  const upload: UploadRow = {
    ...{ id: `upload_${timedHex(clock.nowMs(), 32)}`, user_id: userId, purpose, filename, bytes },
    ...{ expiry_seconds: expirySeconds, status: 'pending', file_id: null, made_of: null },
    ...{ created_at: now, expires_at: now + limits.uploadSeconds },
  };
  await store.insertUpload(db, upload);
  try {
    await refuseFull(deps, userId);
  } catch (error) {
    await store.dropUpload(db, upload.id);
    throw error;
  }
  return { upload, file: null };
}

export async function requireUpload({ db, clock }: Kept, userId: number, id: string): Promise<UploadRow> {
  const upload = await store.findUpload(db, userId, id, nowSeconds(clock));
  if (!upload) throw noUpload(id);
  return upload;
}

const ended = ({ id, status }: UploadRow) => new AppError('conflict', `Upload '${id}' is already ${status}.`);

const mostOf = ({ bytes }: UploadRow): number => Math.min(bytes, limits.partBytes);

/** As with files, the row is written before the bytes. */
export async function beginPart({ db, blobs, clock }: Kept, upload: UploadRow, expectedBytes: number) {
  if (upload.status !== 'pending') throw ended(upload);
  const most = mostOf(upload);
  const id = `part_${timedHex(clock.nowMs(), 32)}`;
  const blob = blobOf(id);
  const part: PartRow = {
    ...{ id, upload_id: upload.id, bytes: Math.min(expectedBytes, most), blob, ready: 0 },
    created_at: nowSeconds(clock),
  };
  await store.insertPart(db, part);
  const giveUp = () => dropPart({ db, blobs }, part);
  const room = async () => {
    const parts = await store.partsOf(db, upload.id);
    // A part whose answer was lost may be sent twice.
    if (parts.length <= limits.parts && bytesOf(parts) <= 2 * upload.bytes) return;
    throw new AppError(
      'request_too_large',
      `The parts of upload '${upload.id}' exceed its declared size or the maximum number of parts.`,
    );
  };
  let bytes = 0;
  try {
    await room();
  } catch (error) {
    await giveUp();
    throw error;
  }
  return {
    store: async (content: ReadableStream<Uint8Array>) => {
      bytes = (await blobs.put(blob, content, 'application/octet-stream')).size;
    },
    finish: async (): Promise<PartRow> => {
      if (bytes > most)
        throw new AppError('request_too_large', `A part of this upload may have at most ${most} bytes.`, {
          param: 'data',
        });
      if (!(await store.completePart(db, id, bytes))) throw noUpload(upload.id);
      await room();
      return { ...part, bytes, ready: 1 };
    },
    giveUp,
  };
}

const bytesOf = (parts: PartRow[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

interface Completion {
  partIds: string[];
  md5: string | undefined;
}

/** Joins the parts in the given order. A repeated request, after a lost answer, gets the same file. */
export async function completeUpload(deps: BatchesDeps, upload: UploadRow, wanted: Completion): Promise<Told> {
  const madeOf = sha256Hex(wanted.partIds.join(' '));
  if (upload.status !== 'pending') return completedBefore(deps, upload, madeOf);
  const parts = await requireParts(deps, upload, wanted.partIds);
  const file = await beginFile(deps, upload.user_id, 0);
  try {
    await join(deps.blobs, file.blob, parts, wanted.md5);
    const told = await deps.db.transaction().execute(async (db) => {
      const completed = await store.endUpload(db, upload.id, {
        ...{ status: 'completed', file_id: file.id, made_of: madeOf },
      });
      if (!completed) return null;
      const { purpose, filename, bytes, expiry_seconds: seconds } = upload;
      const expiresAt = seconds === null ? null : file.now + seconds;
      const row = await completeFile(db, file.id, { purpose, filename, bytes, expires_at: expiresAt });
      if (!row) throw noFile(file.id);
      return { upload: completed, file: row };
    });
    if (told) {
      await dropParts(deps, upload.id);
      return told;
    }
  } catch (error) {
    await file.giveUp();
    throw error;
  }
  await file.giveUp();
  return completedBefore(deps, await requireUpload(deps, upload.user_id, upload.id), madeOf);
}

async function completedBefore({ db, clock }: Kept, upload: UploadRow, madeOf: string): Promise<Told> {
  if (upload.made_of !== madeOf) throw ended(upload);
  return { upload, file: await findFile(db, upload.user_id, upload.file_id!, nowSeconds(clock)) };
}

async function requireParts({ db }: Kept, upload: UploadRow, ids: string[]): Promise<PartRow[]> {
  const known = new Map((await store.partsOf(db, upload.id)).map((part) => [part.id, part]));
  const parts = ids.map((id) => {
    const part = known.get(id);
    if (part?.ready === 1) return part;
    const message = `Upload '${upload.id}' has no part '${id.slice(0, 100)}'.`;
    throw new AppError('invalid_value', message, { param: 'part_ids' });
  });
  const bytes = bytesOf(parts);
  if (bytes === upload.bytes) return parts;
  const message = `The parts have ${bytes} bytes in total, but the upload was created for ${upload.bytes}.`;
  throw new AppError('invalid_value', message, { param: 'part_ids' });
}

async function join(blobs: Blobs, blob: string, parts: PartRow[], md5: string | undefined): Promise<void> {
  const hash = createHash('md5');
  await blobs.put(blob, streamOf(piecesOf(blobs, parts, hash)), 'application/octet-stream');
  const sum = hash.digest();
  // OpenAI does not document the encoding.
  if (md5 === undefined || [sum.toString('hex'), sum.toString('base64')].includes(md5)) return;
  const message = `The MD5 checksum of the parts is ${sum.toString('hex')}, which does not match the given one.`;
  throw new AppError('invalid_value', message, { param: 'md5' });
}

async function* piecesOf(blobs: Blobs, parts: PartRow[], hash: ReturnType<typeof createHash>) {
  for (const { blob, upload_id } of parts) {
    const content = await blobs.read(blob);
    if (!content)
      throw new AppError('conflict', `Upload '${upload_id}' was completed, cancelled or expired in the meantime.`);
    for await (const piece of content) {
      hash.update(piece);
      yield piece;
    }
  }
}

/** Idempotent. */
export async function cancelUpload(deps: Kept, upload: UploadRow): Promise<Told> {
  const cancelled =
    (await store.endUpload(deps.db, upload.id, { status: 'cancelled' })) ??
    (await requireUpload(deps, upload.user_id, upload.id));
  if (cancelled.status !== 'cancelled') throw ended(cancelled);
  await dropParts(deps, upload.id);
  return { upload: cancelled, file: null };
}

async function dropPart({ db, blobs }: Pick<Kept, 'db' | 'blobs'>, { id, blob }: PartRow): Promise<void> {
  await blobs.delete(blob);
  await store.dropPart(db, id);
}

async function dropParts(deps: Pick<Kept, 'db' | 'blobs'>, uploadId: string): Promise<void> {
  for (const part of await store.partsOf(deps.db, uploadId)) await dropPart(deps, part);
}

const uploadsAtOnce = 100;

async function dropUploads(deps: Pick<Kept, 'db' | 'blobs'>, uploads: { id: string }[]): Promise<number> {
  for (const { id } of uploads) {
    await dropParts(deps, id);
    await store.dropUpload(deps.db, id);
  }
  return uploads.length;
}

export async function sweepUploads(deps: Kept): Promise<void> {
  await dropUploads(deps, await store.findExpiredUploads(deps.db, nowSeconds(deps.clock), uploadsAtOnce));
}

export async function forgetUploads(deps: Kept, userId: number): Promise<void> {
  while ((await dropUploads(deps, await store.uploadsOf(deps.db, userId, uploadsAtOnce))) > 0);
}
