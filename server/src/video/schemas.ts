import { z } from 'zod';
import { pageFields } from '../platform/http/paging.ts';
import { jobStatuses } from './status.ts';

const listOf = (item: z.ZodType) => z.array(item).nullable();

export const modelsAnswer = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      created: z.int(),
      supported_aspect_ratios: listOf(z.string()),
      supported_resolutions: listOf(z.string()),
      supported_durations: listOf(z.int()),
      supported_sizes: listOf(z.string()),
      supported_frame_images: listOf(z.string()),
      generate_audio: z.boolean(),
      seed: z.boolean(),
      pricing: z.object({ per_second: z.number() }),
    }),
  ),
});

const jobFields = {
  id: z.string().meta({ example: 'job-…' }),
  generation_id: z.string().meta({ example: 'gen-…' }),
  polling_url: z.string(),
  status: z.enum(jobStatuses),
  error: z.string().optional(),
  unsigned_urls: z.array(z.string()).optional(),
  usage: z.object({ cost: z.number().meta({ description: 'USD' }) }).optional(),
};
const ownJob = z.object(jobFields).meta({ id: 'VideoJob' });

/** A job created in OpenAI's format. */
const openaiVideo = z
  .looseObject({
    id: z.string().meta({ example: 'video_…' }),
    object: z.literal('video'),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
    model: z.string(),
    progress: z.int(),
    created_at: z.int(),
    completed_at: z.int().nullable(),
    expires_at: z.int().nullable(),
    prompt: z.string(),
    seconds: z.string(),
    size: z.string(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    remixed_from_video_id: z.null(),
  })
  .meta({ id: 'OpenAIVideo' });

export const jobAnswer = z.union([ownJob, openaiVideo]);
const openaiDeleted = z.object({ id: z.string(), object: z.literal('video.deleted'), deleted: z.boolean() });
export const removedAnswer = z.union([ownJob, openaiDeleted]);

/** By page number, or by cursor as OpenAI's client does. Other parameters, such as Azure's, are ignored. */
export const listQuery = z.object({
  ...pageFields,
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .optional()
    .meta({ type: 'integer', example: 20 }),
  after: z.string().max(100).optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

const listedJob = z.object({
  ...jobFields,
  model: z.string(),
  prompt: z.string(),
  duration: z.int(),
  progress: z.int(),
  created_at: z.int(),
  finished_at: z.int().nullable(),
  expires_at: z.int(),
});

export const jobsAnswer = z.object({
  object: z.literal('list'),
  data: z.array(z.union([listedJob, openaiVideo])),
  total: z.int().optional(),
  page: z.int().optional(),
  page_size: z.int().optional(),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

export const secretAnswer = z.object({
  ...{ secret: z.string(), header: z.string(), algorithm: z.string() },
  previous: z
    .object({ header: z.string(), ends_at: z.number().int() })
    .nullable()
    .describe('Until when callbacks are also signed with the previous secret, in a separate header'),
});

/** A malformed id does not exist, which the lookup finds out. */
export const jobParams = z.object({ jobId: z.string().max(100) });
export const contentQuery = z.object({
  index: z.string().optional().meta({ type: 'integer', example: 0 }),
  variant: z
    .string()
    .max(100)
    .optional()
    .meta({ enum: ['video'] }),
});
export const remixBody = z.object({ prompt: z.string().max(32_000) });
