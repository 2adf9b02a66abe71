import { z } from '@hono/zod-openapi';
import { AppError } from '../../lib/errors.ts';
import { type ChatMessage, isInstruction } from '../messages.ts';
import type { CallParams } from '../ports.ts';
import type { Settings } from '../settings.ts';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).default(null),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string(),
        type: z.literal('function').default('function'),
        function: z.looseObject({ name: z.string(), arguments: z.string() }),
      }),
    )
    .nullish(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
});

/** What the engine reads of a chat request; the relay has checked the rest. */
export const bodySchema = z.object({
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  svc_ms: z.unknown().optional(),
});
type ParsedBody = z.infer<typeof bodySchema>;
export type ChatBody = Omit<ParsedBody, 'messages'> & { messages: ChatMessage[] };

export function parseBody(value: unknown): ChatBody {
  const parsed = bodySchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const param = issue.path.join('.') || undefined;
    throw new AppError('invalid_value', `${param ?? 'body'}: ${issue.message}`, { param });
  }
  const messages = parsed.data.messages.map(toMessage);
  if (messages.every(isInstruction)) {
    throw new AppError('invalid_value', 'messages must hold a message of the user', { param: 'messages' });
  }
  return { ...parsed.data, messages };
}

function toMessage({ role, content, tool_calls, tool_call_id, name }: ParsedBody['messages'][number]): ChatMessage {
  return {
    role,
    content,
    ...(tool_calls && tool_calls.length > 0 && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(name !== undefined && { name }),
  };
}

/** Tool results at the very end: the client answers calls instead of asking something new. */
export function trailingResults(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1);
}

export const wantsJson = (body: ChatBody): boolean =>
  body.response_format?.type === 'json_object' || body.response_format?.type === 'json_schema';

/** The most tokens the answer may have; undefined for no limit of the caller's. */
export function outputLimit(body: ChatBody, settings: Settings): number | undefined {
  const limits = [body.max_completion_tokens, body.max_tokens, settings.preferences.max_output_tokens];
  const set = limits.filter((limit): limit is number => typeof limit === 'number' && limit > 0);
  return set.length > 0 ? Math.min(...set) : undefined;
}

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null)) as Partial<T>;

/** What every task's model gets; `svc_ms` goes before the request's own fields. */
export function taskParams(body: ChatBody, settings: Settings): CallParams {
  const most = settings.preferences.max_output_tokens;
  return given({
    temperature: settings.temperature ?? body.temperature,
    top_p: settings.top_p ?? body.top_p,
    seed: body.seed,
    max_tokens: most > 0 ? most : undefined,
  }) as CallParams;
}

/** What the model that writes the answer gets besides. */
export function answerParams(body: ChatBody, settings: Settings): CallParams {
  return {
    ...taskParams(body, settings),
    ...(given({
      max_tokens: outputLimit(body, settings),
      stop: body.stop,
      frequency_penalty: body.frequency_penalty,
      presence_penalty: body.presence_penalty,
      response_format: body.response_format,
    }) as CallParams),
  };
}

export const clientTools = (body: ChatBody, settings: Settings): unknown[] => settings.tools ?? body.tools ?? [];
export const toolChoice = (body: ChatBody, settings: Settings): unknown => settings.tool_choice ?? body.tool_choice;
