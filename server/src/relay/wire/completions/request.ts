import { parseChatRequest } from '../chat/request.ts';
import type { Json, Sourced, TextCompletion } from '../conversation.ts';
import {
  invalid,
  missing,
  optionalBoolean,
  optionalInteger,
  optionalString,
  readObject,
  unsupported,
} from '../read.ts';

export type SourcedCompletion = Sourced & { completion: TextCompletion };

/** Each prompt is a separate call if the upstream has no completions endpoint; larger jobs need several requests. */
const mostPrompts = 32;

/** Fields that a chat names differently, or not at all. */
const ofCompletions = new Set(['prompt', 'messages', 'suffix', 'echo', 'best_of', 'logprobs']);

/** Chat features; a text completion has no place for calls. */
const ofChat = ['tools', 'tool_choice', 'functions', 'function_call'];

/** Parses the body of `POST /v1/completions` as the equivalent chat. */
export function parseCompletionRequest(value: unknown): SourcedCompletion {
  const body = readObject(value, 'body');
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !ofCompletions.has(name)));
  for (const name of ofChat)
    if (body[name] != null)
      throw unsupported(name, `'${name}' is not supported here. Use /v1/chat/completions instead.`);
  const prompts = readPrompts(body.prompt);
  const echo = optionalBoolean(body, 'echo') ?? false;
  const n = optionalInteger(body, 'n', 1, 128) ?? 1;
  const bestOf = optionalInteger(body, 'best_of', 1, 20) ?? n;
  if (bestOf < n) throw invalid('best_of', `'best_of' must be at least 'n'.`);
  const logprobs = optionalInteger(body, 'logprobs', 0, 5);
  const chat = parseChatRequest({
    ...rest,
    messages: messagesOf(prompts, optionalString(body, 'suffix') ?? ''),
    ...(logprobs !== undefined && { logprobs: true, ...(logprobs > 0 && { top_logprobs: logprobs }) }),
  });
  const completion = { body, prompts, echo, n, bestOf, logprobs: logprobs !== undefined };
  // The hold covers all generated completions, shown or not.
  const made = bestOf * prompts.length;
  return { ...chat, completion, params: { ...chat.params, ...(made > 1 && { n: made }) } };
}

function readPrompts(value: unknown): string[] {
  if (value === undefined || value === null) throw missing('prompt');
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw invalid('prompt', `'prompt' must not be empty.`);
  if (list.length > mostPrompts) throw invalid('prompt', `'prompt' may contain at most ${mostPrompts} texts.`);
  return list.map((item) => {
    if (typeof item === 'number' || Array.isArray(item))
      throw unsupported('prompt', `'prompt' as tokens is not supported. Send it as text.`);
    if (typeof item !== 'string') throw invalid('prompt', `'prompt' must be a string or an array of strings.`);
    if (item === '') throw invalid('prompt', `'prompt' must not be empty.`);
    return item;
  });
}

const gap = '<|gap|>';
const fillGap =
  `The message is a text with one gap, marked ${gap}. Answer with what belongs into the gap and nothing else: ` +
  'no quotation marks, no fences, nothing of what stands around it.';

/** An instruct model answers a prompt as a chat model answers a message; only a suffix needs an explanation. */
const messagesOf = (prompts: string[], suffix: string): Json[] =>
  suffix === ''
    ? prompts.map((content) => ({ role: 'user', content }))
    : [
        { role: 'system', content: fillGap },
        ...prompts.map((prompt) => ({ role: 'user', content: `${prompt}${gap}${suffix}` })),
      ];

/** Refuses what no chat supports; another candidate may have the endpoint itself. */
export function refuseBeyondChat({ echo, logprobs, bestOf, n }: TextCompletion): void {
  if (bestOf > n) throw unsupported('best_of', `'best_of' above 'n' is not supported by this model.`);
  if (echo && logprobs) throw unsupported('echo', `'echo' together with 'logprobs' is not supported by this model.`);
}

/** One chat per prompt, answered whole. */
export function chatsOf(conversation: SourcedCompletion): Sourced[] {
  const { completion, source, params, turns } = conversation;
  const messages = source.body.messages as Json[];
  const system = messages.filter(({ role }) => role === 'system');
  const asked = messages.slice(system.length);
  return turns.map((turn, i) => {
    const body = { ...source.body, messages: [...system, asked[i]], stream: false };
    // Each chat is weighed by its own texts.
    const { completion: _, bytes: __, ...rest } = conversation;
    return {
      ...rest,
      turns: [turn],
      stream: false,
      params: { ...params, n: completion.bestOf },
      source: { ...source, body },
    };
  });
}
