import { AppError } from '../../../lib/errors.ts';
import { type Conversation, isObject, type Json, type Turn, type WireFormat } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';
import type { WebSearch } from '../../wire/search.ts';
import { serverToolIn } from './beyond-tokens.ts';
import { refuseGoogleOnly } from './google-only.ts';

/**
 * Refuses, by name, what only the vendor of the request's own format supports: vendor-run tools, searches, speech and
 * the like. If dropped silently, the model would answer without them unnoticed.
 */
export function refuseForeignTools({ params, source, turns }: Conversation, { searches = false } = {}): void {
  if (source?.format === 'messages' && source.body.thread != null) throw threadUnsupported();
  const tool = params.rawTools?.[0];
  if (tool) throw ownTool(nameOf(tool));
  const { webSearch } = params;
  if (webSearch && !searches) throw searchUnsupported(webSearch);
  if (params.rawToolChoice)
    throw unsupported(
      'tool_choice',
      `'tool_choice' of type '${params.rawToolChoice.type}' is not supported by this model.`,
    );
  if (source?.format === 'responses') refuseForeignItems(turns);
  const serverTool = source && serverToolIn(source.format, source.body, webSearch?.name);
  if (serverTool) throw unsupported(serverTool, `'${serverTool}' is not supported by this model.`);
  if (source?.format === 'chat' && asksForSound(source.body))
    throw unsupported('modalities', `'audio' is not supported by this model.`);
  const promise = source && promiseIn(source.format, source.body);
  if (promise) throw unsupported(promise, `'${promise}' is not supported by this model.`);
  if (source?.format === 'gemini') refuseGoogleOnly(turns, source.body);
}

const ownTool = (name: unknown): AppError =>
  unsupported('tools', `The tool '${name}' is vendor-specific and not supported by this model.`);

export const searchUnsupported = ({ name, offered }: WebSearch): AppError =>
  offered ? ownTool(name) : unsupported(name, `'${name}' is not supported by this model.`);

/** For a Responses request: items of OpenAI's tools, and files by OpenAI's ids. */
function refuseForeignItems(turns: Turn[]): void {
  for (const { parts } of turns)
    for (const part of parts) {
      if (part.type !== 'raw' || part.format !== 'responses') continue;
      const { type, file_id } = part.value;
      throw file_id === undefined
        ? unsupported('input', `Items of type '${type}' are specific to OpenAI and not supported by this model.`)
        : unsupported(
            'input',
            `'file_id' of '${type}' refers to a file that is not stored here. Send its data or URL instead.`,
          );
    }
}

/** Threads exist in the vendor's account. On this code, Anthropic's clients send the whole conversation again. */
export const threadUnsupported = (): AppError =>
  new AppError('unsupported_parameter', 'This model does not support message threads. Send the whole conversation.', {
    param: 'thread',
    details: { error_code: 'thread_unsupported_request' },
  });

/** Parameters that callers rely on: where a request is processed, and which words an answer may contain. */
function promiseIn(format: WireFormat, { inference_geo: place, logit_bias: bias }: Json): string | undefined {
  if (format === 'messages' && place != null && place !== 'global') return 'inference_geo';
  // Its keys are token ids of one vendor's tokenizer.
  return format === 'chat' && isObject(bias) && Object.keys(bias).length > 0 ? 'logit_bias' : undefined;
}

/** Whether the answer should contain audio. */
const asksForSound = ({ audio, modalities }: Json): boolean =>
  audio != null || (Array.isArray(modalities) && modalities.includes('audio'));

const nameOf = ({ type, name }: Json): unknown => type ?? name;
