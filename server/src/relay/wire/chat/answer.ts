import type { Usage } from '../../../lib/money.ts';
import { table } from '../../../lib/table.ts';
import { chatAnnotation } from '../citations.ts';
import { type Answer, type Finish, isObject, type Json, type Part } from '../conversation.ts';
import { toDataUrl } from '../data-url.ts';
import { renameMember } from '../rewrite-model.ts';
import { renderChatUsage } from '../usage.ts';
import { withCustomCalls } from './custom-calls.ts';
import { withFunctionCall } from './legacy-functions.ts';
import { isNormalChoice, normalizeChoice } from './normalize-choice.ts';
import { type ReasoningFormat, renderReasoningDetails } from './reasoning.ts';

export interface RenderOptions {
  /** The name the client asked for. */
  model: string;
  /** Used if the upstream gave no id, or one of another format. */
  id: string;
  /** Unix seconds. */
  created: number;
  /** The request used `functions` instead of `tools`. */
  oldFunctions?: true | undefined;
  /** Names of tools with free-text input. */
  customTools?: ReadonlySet<string> | undefined;
  /** The client asked for reasoning, in formats where that is an option. */
  showThoughts?: true | undefined;
}

/** Renders an answer as a chat completion. */
export function renderChatAnswer(answer: Answer, options: RenderOptions): Json {
  const body = renderBody(answer, options);
  const { oldFunctions, customTools } = options;
  if (!oldFunctions && !customTools) return body;
  const asAsked = (choice: unknown) => (customTools ? withCustomCalls(choice, customTools) : withFunctionCall(choice));
  return { ...body, choices: (body.choices as unknown[]).map(asAsked) };
}

function renderBody(answer: Answer, options: RenderOptions): Json {
  if (answer.source?.format === 'chat') return cleanChatBody(answer.source.body, options, answer.usage);
  return {
    id: options.id,
    object: 'chat.completion',
    created: options.created,
    model: options.model,
    choices: [
      {
        index: 0,
        message: renderMessage(answer.parts, answer.reasoningFormat),
        logprobs: logprobsOf(answer.parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []))),
        finish_reason: answer.finish,
      },
    ],
    ...(answer.usage && { usage: renderChatUsage(answer.usage) }),
    ...answer.extra,
  };
}

function renderMessage(parts: Part[], format: ReasoningFormat | undefined): Json {
  const words = (refused: boolean) =>
    parts.flatMap((part) => (part.type === 'text' && (part.refusal ?? false) === refused ? [part.text] : [])).join('');
  const text = words(false);
  const refusal = words(true);
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [renderToolCall(part)] : []));
  const thinking = parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('');
  const details = renderReasoningDetails(parts, format);
  const cited = parts.flatMap((part) => (part.type === 'text' ? (part.cited ?? []) : []));
  const images = parts.flatMap((part) => (part.type === 'image' ? renderImage(part) : []));
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(images.length > 0 && { images }),
    ...(cited.length > 0 && { annotations: cited.map(chatAnnotation) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

export function renderToolCall(part: Extract<Part, { type: 'tool_call' }>): Json {
  return {
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: part.arguments },
    ...(part.signature !== undefined && { extra_content: { google: { thought_signature: part.signature } } }),
  };
}

export const logprobsOf = (content: unknown[] = []): Json | null =>
  content.length === 0 ? null : { content, refusal: null };

export function renderImage(part: Extract<Part, { type: 'image' }>): Json[] {
  if ('data' in part.source) {
    return [{ type: 'image_url', image_url: { url: toDataUrl(part.source.mediaType, part.source.data) } }];
  }
  return 'url' in part.source ? [{ type: 'image_url', image_url: { url: part.source.url } }] : [];
}

/**
 * Cleans an OpenAI-compatible body for a chat client: model name, tidy choices, usage, and other fields that servers
 * omit.
 */
function cleanChatBody(body: Json, options: RenderOptions, usage: Usage | undefined): Json {
  const { id, object, created, choices } = body;
  return {
    ...body,
    id: isName(id) ? id : options.id,
    object: isName(object) ? object : 'chat.completion',
    created: typeof created === 'number' ? created : options.created,
    model: options.model,
    choices: Array.isArray(choices) ? choices.map(normalizeChoice) : [],
    ...(body.usage == null && usage && { usage: renderChatUsage(usage) }),
  };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The upstream's text with only the model name replaced; null if more has to change. */
export function renamedChatText(text: string, body: Json, model: string): string | null {
  const { id, object, created, choices, usage } = body;
  const isWhole = isName(id) && isName(object) && typeof created === 'number' && isObject(usage);
  if (!isWhole || !Array.isArray(choices) || !choices.every(isNormalChoice)) return null;
  return renameMember(text, 'model', body.model, model);
}

/** Finish reasons that vendors use besides the four of the format. */
const finishes = table<Finish>({
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  // Cut off by a fault of DeepSeek's or Zhipu's servers.
  insufficient_system_resource: 'length',
  network_error: 'length',
  // Zhipu's filter.
  sensitive: 'content_filter',
});

export const readChatFinish = (reason: string): Finish => finishes[reason] ?? 'stop';
