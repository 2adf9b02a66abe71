import { z } from 'zod';
import { answered, management } from '../../platform/http/answers.ts';
import { nothingAsked } from '../../platform/http/paging.ts';
import { preferencesSchema } from '../preferences.ts';

/** Unknown query parameters are rejected; otherwise a typo would be silently ignored. */
export const base = { ...management, query: nothingAsked, tag: 'Orchestration', auth: 'keyOrSession' } as const;

const time = z.number().int();

const sessionFields = {
  session_id: z.string(),
  created_at: time,
  last_accessed: time,
  total_messages: z.number().int(),
  total_tokens: z.number().int(),
  has_active_plan: z.boolean(),
  tags: z.array(z.string()),
};
export const sessionSchema = z.object(sessionFields).meta({ id: 'Session' });

const planTaskSchema = z.object({
  id: z.string(),
  title: z.string(),
  difficulty: z.string(),
  depends_on: z.array(z.string()),
  status: z.string(),
});
export const sessionDetailSchema = z.object({
  ...sessionFields,
  project_id: z.string().nullable(),
  summary: z.string().nullable(),
  active_plan: z
    .object({
      plan_id: z.string(),
      description: z.string(),
      status: z.string(),
      created_at: time,
      tasks: z.array(planTaskSchema),
    })
    .nullable(),
});

export const historySchema = z.object({
  session_id: z.string(),
  messages: z.array(
    z.object({
      id: z.number().int(),
      role: z.string(),
      content: z.unknown(),
      tool_calls: z.array(z.unknown()).optional(),
      tool_call_id: z.string().optional(),
      model: z.string().optional(),
      tokens: z.number().int(),
      created_at: time,
    }),
  ),
  total: z.number().int(),
  page: z.number().int(),
  page_size: z.number().int(),
});

export const entryFields = {
  category: z.string().trim().min(1).max(64),
  title: z.string().trim().min(1).max(200),
  content: z.string().trim().min(1).max(20_000),
  keywords: z.array(z.string().trim().min(1).max(64)).max(50),
};
export const newEntrySchema = z.object({
  ...entryFields,
  keywords: entryFields.keywords.default([]),
  project_id: z.string().min(1).max(128).optional(),
});
export const entryChangeSchema = z.object(entryFields).partial();
export const entrySchema = z
  .object({
    id: z.string(),
    category: z.string(),
    title: z.string(),
    content: z.string(),
    source_session: z.string().nullable(),
    quote: z
      .string()
      .nullable()
      .meta({ description: 'For knowledge learned from a conversation: the passage it comes from' }),
    source_message: z.number().int().nullable().meta({ description: 'ID of the message that contains the quote' }),
    source: z
      .object({
        id: z.string(),
        name: z.string(),
        page: z.number().int().optional(),
        heading: z.string().optional(),
        position: z.number().int(),
      })
      .nullable()
      .meta({ description: 'For imported knowledge: the file and the position of this passage in it' }),
    created_at: time,
    keywords: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeEntry' });

export const preferencesAnswer = answered(preferencesSchema.meta({ id: 'OrchestrationPreferences' }));
export const patternsSchema = z.object({
  patterns: z.array(
    z.object({
      kind: z.string(),
      difficulty: z.string(),
      model: z.string(),
      successes: z.number().int(),
      failures: z.number().int(),
      success_rate: z.number(),
      in_use: z.boolean(),
      updated_at: time,
    }),
  ),
});
