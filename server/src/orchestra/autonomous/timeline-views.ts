import { z } from 'zod';
import { nextCursor } from '../../platform/http/cursor.ts';

const int = z.number().int();

const kinds = ['start', 'model_call', 'tool_call', 'approval', 'decision', 'pause', 'end'] as const;

const entry = z
  .object({
    kind: z.enum(kinds),
    at: int.meta({ description: 'Unix seconds: when a model answered; when anything else happened' }),
    what: z.string().meta({
      description: 'What a model was asked for, the name of a tool, the event of a decision, or why it came to rest',
    }),
    task_id: z.string().nullable(),
    title: z.string().nullable().meta({ description: 'Of the task, as the plan now has it' }),
    detail: z.string().nullable().meta({ description: 'In words; for calls of tools the arguments' }),
    output: z.string().nullable().meta({ description: 'Of a tool: the beginning of what the model was told' }),
    status: z.string().nullable().meta({ description: 'How a call ended; `open` while it has not' }),
    model: z.string().nullable(),
    duration_ms: int.nullable(),
    prompt_tokens: int.nullable(),
    completion_tokens: int.nullable(),
    cost: z.number().nullable().meta({ description: 'In dollars' }),
    quota: int.nullable().meta({ description: 'The same in quota units' }),
    request_id: z.string().nullable().meta({ description: 'Of a model call, in usage and routing decisions' }),
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
  duration_ms: int.meta({ description: 'Of all model calls together; those at the same time count each' }),
  cost: z.number(),
  quota: int,
};
const taskSum = z.object({ task_id: z.string().nullable(), title: z.string().nullable(), ...sum });
export type TaskSum = z.infer<typeof taskSum>;
const sums = z
  .object({
    run: z.object(sum),
    tasks: z.array(taskSum).meta({ description: '`task_id` null: what no single task has caused' }),
    complete: z.boolean().meta({ description: 'False when there are more calls than are added up' }),
  })
  .meta({ id: 'TimelineSums' });
export type Sums = z.infer<typeof sums>;

export const timelineAnswer = z.object({
  execution_id: z.string(),
  parent_request_id: z
    .string()
    .meta({ description: 'Finds every call of the run in `/api/usage/logs` and `/api/routing/decisions`' }),
  entries: z.array(entry).meta({ description: 'The newest first' }),
  sums: sums.nullable().meta({ description: 'Null on later pages' }),
  ...nextCursor,
});
