import type { UnusedIds } from './chat/call-places.ts';
import type { TakeEscaped } from './chat/plain-delta.ts';
import { chatDone, chatStream, type StreamRenderer } from './chat/stream.ts';
import { CohereStream } from './cohere/stream.ts';
import type { Delta, Echo, Json, WireFormat } from './conversation.ts';
import { GeminiStream } from './gemini/stream.ts';
import { MessagesStream, messagesStop } from './messages/stream.ts';
import { ResponsesStream } from './responses/stream.ts';

/** The client's stream format, including chat dialects; `deltas` for callers in this process. */
export type StreamClient = WireFormat | 'cohere' | 'deltas';

export interface RelayStreamOptions {
  /** The client's format; with `deltas` nothing is rendered, and values are appended to `deltas`. */
  client: StreamClient;
  deltas?: Delta[];
  /** The upstream's format; if it equals the client's, bytes are forwarded. */
  upstream: WireFormat;
  /** Parses one upstream event; a new decoder per stream. */
  decode: (json: Json) => Delta[];
  /** The name the client asked for. */
  model: string;
  /** Id of the answer, if we write it. */
  id: string;
  /** Unix seconds. */
  created: number;
  requestId?: string;
  includeUsage: boolean;
  /** The request used `functions` instead of `tools`. */
  oldFunctions?: true | undefined;
  /** Names of tools with free-text input. */
  customTools?: ReadonlySet<string> | undefined;
  /** For an upstream of chats, if the conversation has calls already. */
  unusedIds?: UnusedIds | undefined;
  /** For a response: what it repeats of its request. */
  echo?: Echo | undefined;
  /** Current time in Unix seconds. */
  now?: () => number;
  /** Called with the finished response before its last bytes are delivered. */
  onEnded?: ((response: Json) => void) | undefined;
  /** The client asked for reasoning, in formats where that is an option. */
  showThoughts?: true | undefined;
  expectsJson?: boolean;
  /** Estimate for `message_start`. */
  promptTokens?: number;
  /** Whether an upstream may say that the prompt has that many; else the estimate is told instead. */
  mayBePrompt?: (tokens: number) => boolean;
  onOutput?: (text: string) => void;
  /** Called for each parsed event with its deltas. */
  onDeltas?: ((deltas: readonly Delta[], event: Json) => void) | undefined;
  /**
   * Receives plain text as bytes of a JSON string, without parsing frames; for callers that need the text only if the
   * upstream does not count. Without it every frame is parsed.
   */
  onPlainText?: TakeEscaped;
}

type RendererOptions = Omit<
  RelayStreamOptions,
  'upstream' | 'decode' | 'expectsJson' | 'onOutput' | 'onDeltas' | 'onPlainText'
> &
  Partial<Pick<RelayStreamOptions, 'upstream'>>;

/** Renders deltas for a client. */
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

/** End markers by format; Google's streams just close. */
export const endMarks: Record<RelayStreamOptions['client'], string> = {
  chat: chatDone,
  messages: messagesStop,
  responses: '',
  gemini: '',
  cohere: chatDone,
  deltas: '',
};
