import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { GenerateContentResponse } from '@google/genai';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';

/** What each wire's own library says that an event is, as it is written: names of enums as texts, and what is not known as null. */
export interface SdkEvents {
  responses: OwnCodes<Written<ResponseStreamEvent>>;
  chat: Written<ChatCompletionChunk>;
  /** The library swallows pings, and has no type for them. */
  messages: Written<RawMessageStreamEvent> | { type: 'ping' };
  /** Its getters are not written. */
  gemini: Written<
    Pick<GenerateContentResponse, 'candidates' | 'modelVersion' | 'promptFeedback' | 'responseId' | 'usageMetadata'>
  >;
}

/** A type of a library as JSON of a vendor has it. */
export type Written<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? { [K in keyof T as Leavable<T, K> extends true ? never : K]: Written<T[K]> } & {
          [K in keyof T as Leavable<T, K> extends true ? K : never]?: Written<T[K]> | null | undefined;
        }
      : T;

/** OpenAI writes null for what its types leave out, and Anthropic leaves out what its types say may be null. */
type Leavable<T, K extends keyof T> = K extends Unwritten
  ? true
  : undefined extends T[K]
    ? true
    : null extends T[K]
      ? true
      : false;

/** OpenAI's library puts `output_text` in itself; `caller` tells calls by Anthropic's own sandbox from those by a model. */
type Unwritten = 'output_text' | 'caller';

/** A response that failed names our code for it, as every other answer does. */
type OwnCodes<T> = T extends { type: 'response.failed'; response: infer R }
  ? Omit<T, 'response'> & { response: Omit<R, 'error'> & { error: { code: string; message: string } } }
  : T;
