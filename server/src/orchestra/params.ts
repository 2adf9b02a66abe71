import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { connectedNames } from './connected-names.ts';

export const difficulties = ['easy', 'medium', 'hard'] as const;
export type Difficulty = (typeof difficulties)[number];
export const verbosities = ['minimal', 'normal', 'verbose'] as const;
export type Verbosity = (typeof verbosities)[number];

/**
 * Ids appear in URLs, so only characters that need no escaping are allowed. Clients remove `.` and `..` from a path:
 * such a session could not be read or deleted.
 */
export const sessionIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1-128 characters of A-Z a-z 0-9 _ . : -')
  .regex(/^(?!\.{1,2}$)/, 'must not be . or ..');
export const longestSessionId = 128;

/** The minimum leaves room for an answer; no model reads more than the maximum. */
export const contextTokens = z.int().min(256).max(2_000_000);

const tool = z.looseObject({ type: z.string(), function: z.looseObject({ name: z.string().min(1) }).optional() });

/** Unknown names are rejected; otherwise a typo would silently select the default. */
export const svcMsSchema = z.strictObject({
  session_id: sessionIdSchema.optional(),
  memory_mode: z.enum(['full', 'summarized', 'selective']).default('summarized'),
  verbosity: z.enum(verbosities).optional(),
  include_reasoning: z.boolean().default(false),
  use_vector_search: z.boolean().optional(),
  remember: z.boolean().default(true),
  vector_top_k: z.int().min(1).max(200).default(30),
  rerank_threshold: z.number().min(0).max(1).default(0.5),
  max_context_tokens: contextTokens.optional(),
  force_model: z.string().min(1).max(200).optional(),
  task_difficulty: z.enum(difficulties).optional(),
  extract_knowledge: z.boolean().optional(),
  final_only: z.boolean().default(false),
  project_id: z.string().min(1).max(128).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  tools: z.array(tool).max(128).optional(),
  connected_tools: connectedNames.optional(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.string() })], {
      error: 'must be auto, none, required or {type: "function", function: {name}}',
    })
    .optional(),
});
export type SvcMs = z.infer<typeof svcMsSchema>;

/** Parses the `svc_ms` object of a request; throws a 400 that names the parameter. Null counts as not given. */
export function parseSvcMs(value: unknown): SvcMs {
  if (value === undefined || value === null) return svcMsSchema.parse({});
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new AppError('invalid_value', 'svc_ms must be an object', { param: 'svc_ms' });
  }
  const given = Object.fromEntries(
    Object.entries(value).filter(([name, member]) => member !== null || !Object.hasOwn(svcMsSchema.shape, name)),
  );
  const parsed = svcMsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw fault('svc_ms.', parsed.error);
}

export function fault(prefix: string, error: z.ZodError): AppError {
  const issue = error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const param = prefix + [...issue.path, ...unknown].join('.');
  const message = unknown.length > 0 ? 'there is no such parameter' : issue.message;
  return new AppError('invalid_value', `${param}: ${message}`, { param });
}
