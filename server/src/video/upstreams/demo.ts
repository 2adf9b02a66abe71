import { makeDemoVideo } from '../demo/make-demo-video.ts';
import { dimensionsOf } from '../dimensions.ts';
import type { Order, Progress, Submission, UpstreamKind } from './kind.ts';

/** Long enough that every state can be seen, short enough not to wait. */
const waitsMs = 1_000;
const worksMs = 3_000;
const largestSide = 1_920;
const longest = 60;

/** Depends on the submission time only, so a restart in between changes nothing. */
export function progressAt({ submittedAtMs }: Pick<Submission, 'submittedAtMs'>, nowMs: number): Progress {
  const ageMs = nowMs - submittedAtMs;
  if (ageMs < waitsMs) return { status: 'pending', percent: 0 };
  if (ageMs < worksMs) return { status: 'in_progress', percent: Math.floor((100 * ageMs) / worksMs) };
  return { status: 'completed', percent: 100 };
}

/** The video's title: the prompt, or the reference that replaces it. */
export function subjectOf({ request }: Order): string {
  if (request.prompt.trim() !== '') return request.prompt;
  const reference = request.input_references[0];
  return (reference?.type === 'image_url' ? reference.image_url.url : 'untitled').slice(0, 200);
}

/** The built-in provider: a small animation, the same for every prompt. */
export const demoVideos: UpstreamKind = {
  canSay: () => true,
  submit: async ({ jobId }) => ({ upstreamId: `demo-${jobId}`, pollUrl: '' }),
  poll: async (submission, _target, io) => progressAt(submission, io.nowMs()),
  count: () => 1,
  fetch: async (_index, order) => {
    const { width, height } = dimensionsOf(order.request, { resolution: '480p', aspectRatio: '16:9' });
    const scale = Math.min(1, largestSide / Math.max(width, height));
    const { bytes, contentType } = makeDemoVideo({
      prompt: subjectOf(order),
      seconds: Math.min(order.seconds, longest),
      width: Math.max(16, Math.round(width * scale)),
      height: Math.max(16, Math.round(height * scale)),
    });
    return { type: contentType, bytes };
  },
  cancel: async () => {},
};
