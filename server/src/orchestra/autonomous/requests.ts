import { z } from 'zod';
import { mostTools, toolName } from '../connected-names.ts';
import { difficulties, sessionIdSchema } from '../params.ts';
import { approve, configSchema, maxCost, overridesSchema } from './config.ts';

const streamed = z.boolean().default(true);

/** Every call carries the tools; larger ones would fill the context window. */
const longestTools = 256 * 1024;
const tool = z.strictObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: toolName,
    description: z.string().max(10_000).optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});
const tools = z
  .array(tool)
  .max(mostTools)
  .superRefine((given, context) => {
    const names = given.map(({ function: { name } }) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `two tools have the name "${twice}"` });
    if (JSON.stringify(given).length > longestTools)
      context.addIssue({ code: 'custom', message: 'the definitions are longer than 256 KiB' });
  })
  .meta({
    description:
      'Your own tools that tasks may call, in the format of chat completions; the run waits for their outputs',
  });

export const executeBody = z.strictObject({
  message: z.string().trim().min(1, 'must not be empty').max(200_000),
  session_id: sessionIdSchema.optional(),
  stream_events: streamed,
  config: configSchema.default(() => configSchema.parse({})),
  max_cost: maxCost.default(null),
  tools: tools.default([]),
  approve: approve.default('marked'),
});

const callId = z.string().min(1).max(128);
const taskId = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .refine((name) => !(name in Object.prototype), 'cannot be used as an id');

/** A task in the format of the status, so that clients can edit and return it; `status` and the like are ignored. */
const givenTask = z
  .strictObject({
    id: taskId.optional(),
    task_id: taskId.optional(),
    title: z.string().trim().max(300).optional(),
    instruction: z.string().trim().min(1).max(20_000).optional(),
    difficulty: z.enum(difficulties).optional(),
    depends_on: z.array(taskId).max(200).optional(),
    asked_for: z.boolean().optional(),
    status: z.string().optional(),
    attempts: z.number().optional(),
    score: z.number().nullish(),
  })
  .refine((task) => (task.id ?? task.task_id) !== undefined, { path: ['id'], error: 'is required' })
  .refine((task) => task.id === undefined || task.task_id === undefined || task.id === task.task_id, {
    path: ['id'],
    error: 'differs from task_id',
  })
  .transform(({ id, task_id, title, instruction, difficulty, depends_on, asked_for }) => ({
    id: (id ?? task_id)!,
    ...{ title, instruction, difficulty, depends_on, asked_for },
  }));
export type GivenTask = z.output<typeof givenTask>;

/** The schema accepts thousands, so that the error for too many tasks can state their number. */
const givenTasks = z.array(givenTask).min(1).max(10_000);
const givenPlan = z
  .strictObject({
    tasks: givenTasks,
    plan_id: z.string().optional(),
    description: z.string().max(4000).optional(),
    revision: z.number().optional(),
  })
  .meta({ description: 'Complete plan from here on, in the format of the status; tasks not listed are dropped' });

export const resumeBody = z.strictObject({
  checkpoint_id: z.string().min(1).max(128),
  session_id: sessionIdSchema,
  stream_events: streamed,
  config_overrides: overridesSchema.default({}),
  max_cost: maxCost.optional(),
  approve: approve.optional(),
  instructions: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(20_000)
    .optional()
    .meta({ description: 'Applies to everything from here on and takes precedence over the goal' }),
  plan: z.preprocess((value) => (Array.isArray(value) ? { tasks: value } : value), givenPlan).optional(),
});

export const toolResultsBody = z.strictObject({
  results: z
    .array(z.strictObject({ tool_call_id: callId, content: z.string() }))
    .min(1)
    .max(1000)
    .meta({ description: 'Results of pending_tool_calls; the model receives the first 64 KiB of each' }),
  stream_events: streamed,
});

export const approveBody = z.strictObject({
  tool_call_id: callId.meta({ description: 'ID from pending_approvals' }),
  approved: z.boolean(),
  note: z.string().trim().max(2000).optional().meta({ description: 'Note sent to the model with a rejection' }),
  stream_events: streamed,
});

export const cancelBody = z.strictObject({
  session_id: sessionIdSchema,
  reason: z.string().trim().max(1000).optional(),
});
