import { z } from 'zod';
import { connectedNames } from '../connected-names.ts';

const fields = {
  max_iterations: z.int().min(1).max(100),
  max_time_secs: z.int().min(1).max(86_400),
  confidence_threshold: z.number().min(0).max(1),
  enable_checkpointing: z.boolean(),
  checkpoint_interval: z.int().min(1).max(100),
  enable_smart_tasks: z.boolean(),
  enable_adaptive_retry: z.boolean(),
  connected_tools: connectedNames.meta({
    description: "Names of connected servers' tools that tasks may use; true for all tools available to the user",
  }),
};

/** Settings of a run. Unknown names are rejected; otherwise a typo would silently mean the default. */
export const configSchema = z.strictObject({
  max_iterations: fields.max_iterations.default(10),
  max_time_secs: fields.max_time_secs.default(600),
  confidence_threshold: fields.confidence_threshold.default(0.8),
  enable_checkpointing: fields.enable_checkpointing.default(true),
  checkpoint_interval: fields.checkpoint_interval.default(1),
  enable_smart_tasks: fields.enable_smart_tasks.default(true),
  enable_adaptive_retry: fields.enable_adaptive_retry.default(true),
  // Absent in runs created before connected tools existed.
  connected_tools: fields.connected_tools.optional(),
});

export const maxCost = z.number().positive().max(1_000_000).nullable().meta({
  description: 'Cost limit in dollars: no model call starts once the run has cost this much; null for no limit',
});
export const approve = z.enum(['never', 'marked', 'always']).meta({
  description: 'Which tool calls require approval: none, calls to tools marked by the operator, or all',
});

/** The config and the settings that requests pass beside it, stored together. */
export interface RunConfig extends z.infer<typeof configSchema> {
  max_cost?: number | null | undefined;
  /** Absent: `marked`. */
  approve?: z.infer<typeof approve> | undefined;
}

/** The config as the API shows it. */
export const shownConfig = ({ max_cost: _cost, approve: _approve, ...config }: RunConfig) => config;

/** Without defaults; otherwise a resume would reset the settings it does not name. */
export const overridesSchema = z.strictObject(fields).partial();

export const withOverrides = (config: RunConfig, overrides: Partial<RunConfig>): RunConfig => ({
  ...config,
  ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)),
});
