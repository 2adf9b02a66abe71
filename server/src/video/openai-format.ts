import type { KeyPrincipal } from '../identity/principals.ts';
import { table } from '../lib/table.ts';
import { readMultipart } from '../platform/http/multipart.ts';
import type { Call } from '../platform/http/route.ts';
import type { VideoDeps } from './deps.ts';
import { dimensionsOf } from './dimensions.ts';
import { aspectRatios, invalid, resolutions } from './request.ts';
import { hasEnded } from './status.ts';
import { type Listed, seconds, shownStatus, urlsOf } from './view.ts';

/** A job's id tells which API it was created with, and it is answered in the same format. */
const idStart = 'video_';
export const newIdStart = (openai: boolean): string => (openai ? idStart : 'job-');
export const inOpenaiWords = ({ id }: { id: string }): boolean => id.startsWith(idStart);

type Body = Record<string, unknown>;

/** Members that only OpenAI's API has. */
const telling = ['seconds', 'input_reference'];
export const isOpenaiBody = (body: unknown): body is Body =>
  typeof body === 'object' && body !== null && telling.some((name) => name in body);

/** An input image inside the form. */
const maxFormBytes = 25 * 1024 * 1024;

/** OpenAI's client always sends a form. */
export async function readOpenaiForm(call: Pick<Call, 'request' | 'arrived'>): Promise<Body> {
  const form = await readMultipart(call, maxFormBytes);
  const body: Body = {};
  for (const [name, value] of form) {
    // Bun's types of a form only know text.
    const file = value as unknown as string | File;
    if (typeof file === 'string') {
      if (file.includes('\0')) throw invalid(`${name} must not contain NUL`, name);
      const inner = /^input_reference\[(\w+)\]$/.exec(name)?.[1];
      if (inner === undefined) body[name] = file;
      else body.input_reference = { ...(body.input_reference as Body | undefined), [inner]: file };
    } else if (name === 'input_reference') {
      const base64 = Buffer.from(await file.arrayBuffer()).toString('base64');
      body[name] = { image_url: `data:${file.type.split(';')[0]};base64,${base64}` };
    } else throw invalid(`${name} must not be a file`, name);
  }
  return body;
}

/** Converts the request to our own format. */
export function toOwnFormat(deps: Pick<VideoDeps, 'catalog'>, { user }: KeyPrincipal, body: Body): Body {
  const { seconds: length, input_reference: picture, size, ...rest } = body;
  return {
    ...rest,
    ...(length != null && { duration: durationOf(length) }),
    ...(picture != null && { input_references: [{ type: 'image_url', image_url: { url: addressOf(picture) } }] }),
    ...(size != null && sizeFor(deps, rest.model, user.group, String(size))),
  };
}

function durationOf(length: unknown): number {
  if (!/^\d{1,4}$/.test(String(length))) throw invalid('seconds must be a whole number', 'seconds');
  return Number(length);
}

function addressOf(picture: unknown): unknown {
  const { image_url, file_id } = (typeof picture === 'object' ? picture : { image_url: picture }) as Body;
  if (file_id != null)
    throw invalid('input_reference.file_id is not supported; send the image instead', 'input_reference');
  return image_url;
}

/** Unchanged if the model lists it; else a resolution with as many pixels, which any model may know. */
function sizeFor({ catalog }: Pick<VideoDeps, 'catalog'>, model: unknown, group: string, size: string): Body {
  const modelId = catalog.resolve(String(model), group);
  const makers = modelId === null ? [] : catalog.candidatesFor(modelId, 'video', group);
  const lists = makers.map(({ capabilities }) => capabilities.supported_sizes);
  if (lists.some((listed) => Array.isArray(listed) && listed.includes(size))) return { size };
  for (const aspect_ratio of aspectRatios)
    for (const resolution of resolutions) {
      const { width, height } = dimensionsOf({ aspect_ratio, resolution }, { resolution, aspectRatio: aspect_ratio });
      if (`${width}x${height}` === size) return { aspect_ratio, resolution };
    }
  return { size };
}

const statuses = table<string>({ pending: 'queued', cancelled: 'failed', expired: 'failed' });
const reasons = table<string>({
  cancelled: 'The video was cancelled.',
  expired: 'The video was not ready in time.',
});

/** In the form OpenAI's client expects, with our own members added. */
export function openaiView(job: Listed, baseUrl: string) {
  const request = JSON.parse(job.request) as { prompt: string; size?: string };
  const status = shownStatus(job);
  const { width, height } = dimensionsOf(request, { resolution: '720p', aspectRatio: '16:9' });
  const told = statuses[status] ?? status;
  return {
    id: job.id,
    object: 'video',
    model: job.model_id,
    status: told,
    progress: status === 'completed' ? 100 : job.progress,
    created_at: seconds(job.created_at_ms),
    completed_at: status === 'completed' ? seconds(job.finished_at_ms) : null,
    expires_at: hasEnded(status) ? null : seconds(job.expires_at_ms),
    prompt: request.prompt,
    seconds: String(job.seconds),
    size: `${width}x${height}`,
    error: told === 'failed' ? { code: status, message: reasons[status] ?? job.error } : null,
    remixed_from_video_id: null,
    generation_id: job.generation_id,
    ...(status === 'completed' && urlsOf(job, baseUrl)),
  };
}
