import { z } from 'zod';
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
export const jobAnswer = z.object(jobFields).meta({ id: 'VideoJob' });

export const jobsAnswer = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      ...jobFields,
      model: z.string(),
      prompt: z.string(),
      duration: z.int(),
      progress: z.int(),
      created_at: z.int(),
      finished_at: z.int().nullable(),
      expires_at: z.int(),
    }),
  ),
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
});

export const secretAnswer = z.object({ secret: z.string(), header: z.string(), algorithm: z.string() });

/** An id of another form names nothing, which is found out by looking it up. */
export const jobParams = z.object({ jobId: z.string().max(100) });
export const contentQuery = z.object({ index: z.string().optional().meta({ type: 'integer', example: 0 }) });
