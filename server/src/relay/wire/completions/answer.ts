import { randomString } from '../../../lib/ids.ts';
import { objectsIn } from '../../../lib/is-object.ts';
import { isObject, type Json, type TextCompletion } from '../conversation.ts';

export interface CompletionOptions {
  id: string;
  /** The name the client asked for. */
  model: string;
  /** Unix seconds. */
  created: number;
  /** Prepended to each text. */
  echo: string;
}

export const textObject = 'text_completion';

export const newCompletionId = (): string => `cmpl-${randomString(24)}`;

export const echoOf = ({ echo, prompts }: TextCompletion, prompt = 0): string => (echo ? prompts[prompt]! : '');

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** This format has no tool calls; other reasons have the same names. */
const finishOf = (reason: unknown): unknown =>
  reason === 'tool_calls' || reason === 'function_call' ? 'stop' : (reason ?? null);

/** Newer answers list tokens one by one, older ones in columns. `offset`: position of the first token. */
function columnsOf(logprobs: unknown, offset: number): unknown {
  if (!isObject(logprobs) || !Array.isArray(logprobs.content)) return logprobs ?? null;
  const rows = logprobs.content.filter(isObject);
  let at = offset;
  return {
    tokens: rows.map(({ token }) => text(token)),
    token_logprobs: rows.map(({ logprob }) => logprob),
    top_logprobs: rows.map(({ top_logprobs }) =>
      Object.fromEntries(objectsIn(top_logprobs).map((one) => [text(one.token), one.logprob])),
    ),
    text_offset: rows.map(({ token }) => {
      at += text(token).length;
      return at - text(token).length;
    }),
  };
}

/** Converts a chat choice, or a chunk of one, to a completion choice. */
export function completionChoice(choice: Json, echo: string, offset = 0): Json {
  const said = isObject(choice.message) ? choice.message : isObject(choice.delta) ? choice.delta : {};
  const reasoning = text(said.reasoning_content) || text(said.reasoning);
  return {
    text: echo + contentOf(said),
    index: choice.index ?? 0,
    logprobs: columnsOf(choice.logprobs, offset + echo.length),
    finish_reason: finishOf(choice.finish_reason),
    ...(reasoning !== '' && { reasoning }),
  };
}

function contentOf({ content, refusal }: Json): string {
  if (!Array.isArray(content)) return text(content) || text(refusal);
  return content.map((part) => (isObject(part) ? text(part.text) : '')).join('');
}

export const isText = ({ object }: Json): boolean => object === textObject;

/** Converts a chat completion to a text completion; one that the upstream wrote as such is kept. */
export function completionOf(body: Json, { id, model, created, echo }: CompletionOptions): Json {
  const choices = objectsIn(body.choices);
  return {
    ...body,
    id,
    model,
    created,
    object: textObject,
    choices: isText(body) ? choices.map(withoutMessage) : choices.map((choice) => completionChoice(choice, echo)),
  };
}

function withoutMessage({ message: _, ...choice }: Json): Json {
  return choice;
}

/** Adds messages to a text completion, so that it is read and billed like a chat. */
export function withMessages(body: Json): Json {
  if (!Array.isArray(body.choices)) return body;
  const withMessage = (choice: unknown) =>
    isObject(choice) ? { ...choice, message: { role: 'assistant', content: text(choice.text) } } : choice;
  return { ...body, object: textObject, choices: body.choices.map(withMessage) };
}
