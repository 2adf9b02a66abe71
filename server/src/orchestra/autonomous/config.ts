import { z } from 'zod';

const fields = {
  max_iterations: z.int().min(1).max(100),
  max_time_secs: z.int().min(1).max(86_400),
  confidence_threshold: z.number().min(0).max(1),
  enable_checkpointing: z.boolean(),
  checkpoint_interval: z.int().min(1).max(100),
  enable_smart_tasks: z.boolean(),
  enable_adaptive_retry: z.boolean(),
  max_cost: z
    .number()
    .positive()
    .max(1_000_000)
    .nullable()
    .meta({ description: 'Dollars: no model call begins once the run has cost this much; null for no limit' }),
};

/** Settings of a run. Unknown names are refused, or a slip of the pen would pass for the default. */
export const configSchema = z.strictObject({
  max_iterations: fields.max_iterations.default(10),
  max_time_secs: fields.max_time_secs.default(600),
  confidence_threshold: fields.confidence_threshold.default(0.8),
  enable_checkpointing: fields.enable_checkpointing.default(true),
  checkpoint_interval: fields.checkpoint_interval.default(1),
  enable_smart_tasks: fields.enable_smart_tasks.default(true),
  enable_adaptive_retry: fields.enable_adaptive_retry.default(true),
  // Absent in runs from before there were any.
  max_cost: fields.max_cost.optional(),
});
export type RunConfig = z.infer<typeof configSchema>;

/** Without the defaults, or a resume would change what it does not name. */
export const overridesSchema = z.strictObject(fields).partial();

export const withOverrides = (config: RunConfig, overrides: Partial<RunConfig>): RunConfig => ({
  ...config,
  ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)),
});
