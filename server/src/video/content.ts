import { AppError } from '../lib/errors.ts';
import { isKnown } from '../platform/http/if-none-match.ts';
import type { Call } from '../platform/http/route.ts';
import type { VideoDeps } from './deps.ts';
import { rangeOf } from './range.ts';
import type { VideoJob } from './store.ts';
import { shownStatus } from './view.ts';

/** The bytes of one result, whole or a range. */
export async function serveContent(deps: VideoDeps, call: Call, job: VideoJob, index: number): Promise<Response> {
  const status = shownStatus(job);
  if (status !== 'completed') {
    throw new AppError('invalid_request', `The video is not ready: the job is ${status}`);
  }
  const key = (JSON.parse(job.results) as string[])[index];
  const found = key === undefined ? null : await deps.blobs.stat(key);
  if (key === undefined || !found) throw new AppError('not_found', 'Resource not found');
  const { size } = found;
  const etag = `"${job.id}-${index}"`;
  const { headers: asked, method } = call.request;
  // A result never changes, so a range of an older copy is valid, unless it is of another resource.
  const ifRange = asked.get('if-range');
  const range = ifRange === null || ifRange === etag ? rangeOf(asked.get('range'), size) : null;
  const headers: Record<string, string> = {
    ...call.headers,
    'content-type': found.contentType,
    'accept-ranges': 'bytes',
    'cache-control': 'private',
    etag,
    'content-disposition': `inline; filename="${job.id}-${index}.${found.contentType.split('/')[1]}"`,
  };
  if (isKnown(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  if (range === 'unsatisfiable') {
    throw new AppError('range_not_satisfiable', 'The requested range is outside the video', {
      headers: { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes' },
    });
  }
  headers['content-length'] = String(range ? range.end - range.start + 1 : size);
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${size}`;
  const answer = { status: range ? 206 : 200, headers };
  if (method === 'HEAD') return new Response(null, answer);
  const bytes = await deps.blobs.body(key, range ?? undefined);
  if (!bytes) throw new AppError('not_found', 'Resource not found');
  return new Response(bytes, answer);
}
