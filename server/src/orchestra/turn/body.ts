import { AppError } from '../../lib/errors.ts';
import { chatRequestOf } from '../../relay/providers/openai/request.ts';
import type { Conversation } from '../../relay/wire/conversation.ts';
import { type ChatMessage, isInstruction } from '../messages.ts';
import type { CallParams } from '../ports.ts';
import type { Settings } from '../settings.ts';

/** The fields of a request that the engine uses, whatever its format; messages are stored in the chat format. */
export interface ChatBody extends CallParams {
  messages: ChatMessage[];
  tools?: unknown[];
  response_format?: { type: string; json_schema?: { schema?: unknown } };
  svc_ms?: unknown;
}

export function bodyOf(conversation: Conversation): ChatBody {
  const { params, source } = conversation;
  refuseUnfit(params);
  const chat = source?.format === 'chat' ? source.body : {};
  // Tools and messages are forwarded to models unchanged; the relay has validated them.
  const { messages: given, tools, tool_choice, response_format } = chatRequestOf(conversation) as unknown as ChatBody;
  const messages = given.map(toMessage);
  if (messages.every(isInstruction)) {
    throw new AppError('invalid_value', 'messages must contain a user message', { param: 'messages' });
  }
  return {
    messages,
    tools,
    tool_choice,
    response_format,
    temperature: params.temperature,
    top_p: params.topP,
    max_tokens: params.maxTokens,
    stop: params.stop,
    seed: params.seed,
    frequency_penalty: params.frequencyPenalty,
    presence_penalty: params.presencePenalty,
    parallel_tool_calls: params.parallelToolCalls,
    top_k: params.topK,
    reasoning_effort: params.reasoning?.effort,
    reasoning: params.reasoning?.budgetTokens === undefined ? undefined : { max_tokens: params.reasoning.budgetTokens },
    logit_bias: chat.logit_bias,
    user: params.user,
    metadata: chat.metadata,
    svc_ms: source?.body.svc_ms,
  };
}

/** Rejects parameters that cannot work for an answer made of several calls. */
function refuseUnfit({ n = 1, logprobs = false }: Conversation['params']): void {
  if (n > 1) throw new AppError('invalid_value', 'n: svc/svc-ms returns only one answer', { param: 'n' });
  if (logprobs)
    throw new AppError('invalid_value', 'logprobs: svc/svc-ms does not return log probabilities', {
      param: 'logprobs',
    });
}

/** Keeps only the fields that a later request may send back; vendor-specific ones are not stored in the session. */
function toMessage({ role, content = null, tool_calls, tool_call_id, name }: ChatMessage): ChatMessage {
  return {
    role,
    content,
    ...(tool_calls && tool_calls.length > 0 && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(name !== undefined && { name }),
  };
}

/** Tool results at the end: the client answers calls instead of asking something new. */
export function trailingResults(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1);
}

/**
 * The tool results since the model's last answer, and what the user says beside them: agents that use Anthropic's format
 * send reminders or remarks along.
 */
export function resultsAndRemarks(messages: ChatMessage[]): { results: ChatMessage[]; remarks: ChatMessage[] } {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const first = since.findIndex(({ role }) => role === 'tool');
  const told = first < 0 ? [] : since.slice(first);
  return {
    results: told.filter(({ role }) => role === 'tool'),
    remarks: told.filter(({ role }) => role === 'user'),
  };
}

export const wantsJson = (body: ChatBody): boolean =>
  body.response_format?.type === 'json_object' || body.response_format?.type === 'json_schema';

/** The JSON schema requested for the answer; undefined if there is none. */
export const schemaOf = ({ response_format }: ChatBody): unknown => response_format?.json_schema?.schema;

/** The most tokens the answer may have; undefined if the caller sets no limit. */
export function outputLimit(body: ChatBody, settings: Settings): number | undefined {
  const limits = [body.max_tokens, settings.preferences.max_output_tokens];
  const set = limits.filter((limit): limit is number => typeof limit === 'number' && limit > 0);
  return set.length > 0 ? Math.min(...set) : undefined;
}

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null)) as Partial<T>;

/** Parameters for every task's model; `svc_ms` takes precedence over the request's own fields. */
export function taskParams(body: ChatBody, settings: Settings): CallParams {
  const most = settings.preferences.max_output_tokens;
  return given({
    temperature: settings.temperature ?? body.temperature,
    top_p: settings.top_p ?? body.top_p,
    top_k: body.top_k,
    seed: body.seed,
    reasoning_effort: body.reasoning_effort,
    reasoning: body.reasoning,
    max_tokens: most > 0 ? most : undefined,
  }) as CallParams;
}

/** The same, with those that only apply to the model that writes the answer. */
export function answerParams(body: ChatBody, settings: Settings): CallParams {
  return {
    ...taskParams(body, settings),
    ...(given({
      max_tokens: outputLimit(body, settings),
      stop: body.stop,
      frequency_penalty: body.frequency_penalty,
      presence_penalty: body.presence_penalty,
      logit_bias: body.logit_bias,
      response_format: body.response_format,
    }) as CallParams),
  };
}

/** Parameters sent with every call of a turn. */
export const callParams = ({ user, metadata }: ChatBody): CallParams => given({ user, metadata }) as CallParams;

export const toolNames = (tools: readonly unknown[]): string[] =>
  tools.flatMap((tool) => (tool as { function?: { name?: string } }).function?.name ?? []);

export const clientTools = (body: ChatBody, settings: Settings): unknown[] => settings.tools ?? body.tools ?? [];
/** Whether the client requires a tool call: any tool, or the one of this name. Null if the model may decide. */
export function forcedTool(body: ChatBody, settings: Settings): { name?: string } | null {
  const choice = toolChoice(body, settings);
  if (choice === 'required') return {};
  if (typeof choice !== 'object' || choice === null) return null;
  const { function: named } = choice as { function?: { name?: string } };
  return { name: named?.name };
}

/** Rejects a forced tool that does not exist. A client that sends tool results need not send the tools again. */
export function checkForced(body: ChatBody, settings: Settings, connected: readonly { name: string }[]): void {
  const forced = forcedTool(body, settings);
  const names = [...toolNames(clientTools(body, settings)), ...connected.map(({ name }) => name)];
  if (!forced || resultsAndRemarks(body.messages).results.length > 0) return;
  if (names.length > 0 && (forced.name === undefined || names.includes(forced.name))) return;
  const message =
    names.length === 0 ? 'tool_choice: the request has no tools' : `tool_choice: there is no tool "${forced.name}"`;
  throw new AppError('invalid_value', message, { param: 'tool_choice' });
}
export const toolChoice = (body: ChatBody, settings: Settings): unknown => settings.tool_choice ?? body.tool_choice;
