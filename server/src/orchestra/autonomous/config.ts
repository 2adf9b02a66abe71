import { z } from '@hono/zod-openapi';

/** Every setting of a run with its range and default (contract §13). Unknown names are refused: a typing slip would else pass for the default. */
export const configSchema = z.strictObject({
  max_iterations: z.int().min(1).max(100).default(10),
  max_time_secs: z.int().min(1).max(86_400).default(600),
  confidence_threshold: z.number().min(0).max(1).default(0.8),
  enable_checkpointing: z.boolean().default(true),
  checkpoint_interval: z.int().min(1).max(100).default(1),
  enable_smart_tasks: z.boolean().default(true),
  enable_adaptive_retry: z.boolean().default(true),
});
export type RunConfig = z.infer<typeof configSchema>;

/** Without the defaults, or a resume would change what it does not name. */
export const overridesSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(configSchema.shape).map(([name, field]) => [name, field.removeDefault().optional()]),
  ) as { [K in keyof RunConfig]: z.ZodOptional<z.ZodType<RunConfig[K]>> },
);

export const withOverrides = (config: RunConfig, overrides: Partial<RunConfig>): RunConfig => ({
  ...config,
  ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)),
});
