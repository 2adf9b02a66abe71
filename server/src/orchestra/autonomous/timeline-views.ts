import { z } from 'zod';
import { nextCursor } from '../../platform/http/cursor.ts';

const int = z.number().int();

const kinds = ['start', 'model_call', 'tool_call', 'approval', 'decision', 'pause', 'end'] as const;

const entry = z
  .object({
    kind: z.enum(kinds),
    at: int.meta({ description: 'Unix time in seconds when the model answered or the event happened' }),
    what: z.string().meta({
      description: 'Purpose of a model call, name of a tool, event of a decision, or reason for a pause',
    }),
    task_id: z.string().nullable(),
    title: z.string().nullable().meta({ description: 'Title of the task in the current plan' }),
    detail: z.string().nullable().meta({ description: 'Details as text; for tool calls, the arguments' }),
    output: z.string().nullable().meta({ description: 'For tools: beginning of the output sent to the model' }),
    status: z.string().nullable().meta({ description: 'Outcome of a call; `open` until it ends' }),
    model: z.string().nullable(),
    duration_ms: int.nullable(),
    prompt_tokens: int.nullable(),
    completion_tokens: int.nullable(),
    cost: z.number().nullable().meta({ description: 'In dollars' }),
    quota: int.nullable().meta({ description: 'The same cost in quota units' }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: 'Request ID of a model call, as in usage and routing decisions' }),
  })
  .meta({ id: 'TimelineEntry' });
export type Entry = z.infer<typeof entry>;

export const noEntry = {
  task_id: null,
  title: null,
  detail: null,
  output: null,
  status: null,
  model: null,
  duration_ms: null,
  prompt_tokens: null,
  completion_tokens: null,
  cost: null,
  quota: null,
  request_id: null,
} satisfies Partial<Entry>;

const sum = {
  calls: int,
  prompt_tokens: int,
  completion_tokens: int,
  duration_ms: int.meta({ description: 'Total duration of all model calls; parallel calls each count in full' }),
  cost: z.number(),
  quota: int,
};
const taskSum = z.object({ task_id: z.string().nullable(), title: z.string().nullable(), ...sum });
export type TaskSum = z.infer<typeof taskSum>;
const sums = z
  .object({
    run: z.object(sum),
    tasks: z.array(taskSum).meta({ description: '`task_id` null: calls that belong to no single task' }),
    complete: z.boolean().meta({ description: 'False if there are more calls than the sums cover' }),
  })
  .meta({ id: 'TimelineSums' });
export type Sums = z.infer<typeof sums>;

export const timelineAnswer = z.object({
  execution_id: z.string(),
  parent_request_id: z
    .string()
    .meta({ description: 'Identifies every call of the run in `/api/usage/logs` and `/api/routing/decisions`' }),
  entries: z.array(entry).meta({ description: 'Newest first' }),
  sums: sums.nullable().meta({ description: 'Null on later pages' }),
  ...nextCursor,
});
