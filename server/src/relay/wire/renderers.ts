import type { TakeEscaped } from './chat/plain-delta.ts';
import { chatDone, chatStream, type StreamRenderer } from './chat/stream.ts';
import { CohereStream } from './cohere/stream.ts';
import type { Delta, Echo, Json, WireFormat } from './conversation.ts';
import { GeminiStream } from './gemini/stream.ts';
import { MessagesStream, messagesStop } from './messages/stream.ts';
import { ResponsesStream } from './responses/stream.ts';

/** Whom a stream is written for: who speaks a format, or what is a chat in other words; `deltas` for callers in this process. */
export type StreamClient = WireFormat | 'cohere' | 'deltas';

export interface RelayStreamOptions {
  /** What the client speaks; with `deltas` nothing is written, and the values are added to `deltas`. */
  client: StreamClient;
  deltas?: Delta[];
  /** What the upstream speaks; the same as the client's means its bytes pass. */
  upstream: WireFormat;
  /** Reads one upstream event; a fresh decoder per stream. */
  decode: (json: Json) => Delta[];
  /** The name the client asked for. */
  model: string;
  /** Id of the answer where we write it. */
  id: string;
  /** Unix seconds. */
  created: number;
  requestId?: string;
  includeUsage: boolean;
  /** Asked with functions instead of tools. */
  oldFunctions?: true | undefined;
  /** Names of tools that are called with text. */
  customTools?: ReadonlySet<string> | undefined;
  /** For a response, what it repeats of its request. */
  echo?: Echo | undefined;
  /** Unix seconds, as they go by. */
  now?: () => number;
  /** Told of the response that the next bytes end with, before those are handed on. */
  onEnded?: ((response: Json) => void) | undefined;
  /** Asked to see what the model thinks, where that is a question of its own. */
  showThoughts?: true | undefined;
  expectsJson?: boolean;
  /** Estimate for `message_start`. */
  promptTokens?: number;
  onOutput?: (text: string) => void;
  /** Told of each event that is read, and of what it says. */
  onDeltas?: ((deltas: readonly Delta[], event: Json) => void) | undefined;
  /**
   * Gets plain pieces of text as bytes of a JSON string, their frames unparsed; for callers who need the text only in case
   * the upstream counts nothing. Without it every frame is parsed.
   */
  onPlainText?: TakeEscaped;
}

type RendererOptions = Omit<
  RelayStreamOptions,
  'upstream' | 'decode' | 'expectsJson' | 'onOutput' | 'onDeltas' | 'onPlainText'
> &
  Partial<Pick<RelayStreamOptions, 'upstream'>>;

/** Writes deltas for a client. */
export const newRenderer = (options: RendererOptions): StreamRenderer => renderers[options.client](options);

const renderers: Record<RelayStreamOptions['client'], (options: RendererOptions) => StreamRenderer> = {
  chat: chatStream,
  messages: (options) => new MessagesStream({ ...options, promptTokens: options.promptTokens ?? 0 }),
  responses: (options) => new ResponsesStream(options),
  gemini: (options) => new GeminiStream(options),
  cohere: (options) => new CohereStream(options),
  deltas: ({ deltas }) => ({
    push: (delta) => {
      deltas?.push(delta);
      return '';
    },
    fail: () => '',
  }),
};

/** What a stream ends with; one of Google's just closes. */
export const endMarks: Record<RelayStreamOptions['client'], string> = {
  chat: chatDone,
  messages: messagesStop,
  responses: '',
  gemini: '',
  cohere: chatDone,
  deltas: '',
};
