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

/** Each is a call of its own where an upstream has no completions; whoever has more sends more requests. */
const mostPrompts = 32;

/** What is said otherwise, or not at all, in a chat. */
const ofCompletions = new Set(['prompt', 'messages', 'suffix', 'echo', 'best_of', 'logprobs']);

/** The newer endpoint has them; here an answer has no place for a call. */
const ofChat = ['tools', 'tool_choice', 'functions', 'function_call'];

/** Reads the body of `POST /v1/completions` as the chat that says the same. */
export function parseCompletionRequest(value: unknown): SourcedCompletion {
  const body = readObject(value, 'body');
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !ofCompletions.has(name)));
  for (const name of ofChat)
    if (body[name] != null) throw unsupported(name, `'${name}' is not supported here; use /v1/chat/completions.`);
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
  // Put aside for all that are made, shown or not.
  const made = bestOf * prompts.length;
  return { ...chat, completion, params: { ...chat.params, ...(made > 1 && { n: made }) } };
}

function readPrompts(value: unknown): string[] {
  if (value === undefined || value === null) throw missing('prompt');
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw invalid('prompt', `'prompt' must not be empty.`);
  if (list.length > mostPrompts) throw invalid('prompt', `'prompt' may hold at most ${mostPrompts} texts.`);
  return list.map((item) => {
    if (typeof item === 'number' || Array.isArray(item))
      throw unsupported('prompt', `'prompt' as tokens is not supported; send it as text.`);
    if (typeof item !== 'string') throw invalid('prompt', `'prompt' must be a string or an array of strings.`);
    if (item === '') throw invalid('prompt', `'prompt' must not be empty.`);
    return item;
  });
}

const gap = '<|gap|>';
const fillGap =
  `The message is a text with one gap, marked ${gap}. Answer with what belongs into the gap and nothing else: ` +
  'no quotation marks, no fences, nothing of what stands around it.';

/** An instruct model answers a prompt as a chat model answers a message; only a gap has to be explained. */
const messagesOf = (prompts: string[], suffix: string): Json[] =>
  suffix === ''
    ? prompts.map((content) => ({ role: 'user', content }))
    : [
        { role: 'system', content: fillGap },
        ...prompts.map((prompt) => ({ role: 'user', content: `${prompt}${gap}${suffix}` })),
      ];

/** Refuses what no chat does; another candidate may have the endpoint itself. */
export function refuseBeyondChat({ echo, logprobs, bestOf, n }: TextCompletion): void {
  if (bestOf > n) throw unsupported('best_of', `'best_of' above 'n' is not supported by this model.`);
  if (echo && logprobs) throw unsupported('echo', `'echo' together with 'logprobs' is not supported by this model.`);
}

/** One chat for each prompt, answered whole. */
export function chatsOf(conversation: SourcedCompletion): Sourced[] {
  const { completion, source, params, turns } = conversation;
  const messages = source.body.messages as Json[];
  const system = messages.filter(({ role }) => role === 'system');
  const asked = messages.slice(system.length);
  return turns.map((turn, i) => {
    const body = { ...source.body, messages: [...system, asked[i]], stream: false };
    // Each is weighed by its own texts.
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
