import type { Usage } from '../../lib/money.ts';
import type { Citation } from './citations.ts';
import type { OutputBeside } from './limit-names.ts';
import type { SearchPart, WebSearch } from './search.ts';

export { isObject, objectsIn } from '../../lib/is-object.ts';

/** The union of all wire formats: nothing is lost on the way to a vendor, whose adapter drops what it lacks. */
export type Json = Record<string, unknown>;

interface Cacheable {
  /** Anthropic's `cache_control`, as given. */
  cacheControl?: unknown;
}

export interface TextPart extends Cacheable {
  type: 'text';
  text: string;
  citations?: unknown;
  /** The model explains why it does not answer. */
  refusal?: true;
  /** Log probabilities of its tokens, in OpenAI's form. */
  logprobs?: unknown[];
  /** Pages it cites, if the answer names them. */
  cited?: Citation[];
}

export interface ImagePart extends Cacheable {
  type: 'image';
  source: { mediaType: string; data: string } | { url: string } | { fileId: string };
  detail?: string;
}

export interface FilePart extends Cacheable {
  type: 'file';
  source: { mediaType: string; data: string } | { url: string } | { fileId: string } | { text: string };
  name?: string;
}

export interface AudioPart {
  type: 'audio';
  data: string;
  format: string;
}

export interface ToolCallPart extends Cacheable {
  type: 'tool_call';
  id: string;
  name: string;
  /** JSON text, kept as written. */
  arguments: string;
  /** Gemini's thought signature, which it requires when its call is returned. */
  signature?: string;
}

export interface ToolResultPart extends Cacheable {
  type: 'tool_result';
  callId: string;
  name?: string;
  content: (TextPart | ImagePart | FilePart)[];
  isError?: boolean;
}

export interface ThinkingPart {
  type: 'thinking';
  text: string;
  /** Byte for byte as the vendor sent it; see `signature.ts` for whose it is. */
  signature?: string;
}

export interface RedactedThinkingPart {
  type: 'redacted_thinking';
  data: string;
}

/** A block of one format without a counterpart elsewhere, such as a server tool's result. */
export interface RawPart {
  type: 'raw';
  format: WireFormat;
  value: Json;
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ThinkingPart
  | RedactedThinkingPart
  | SearchPart
  | RawPart;

/** Tool results are parts of a user turn, in their original order. */
export interface Turn {
  role: 'user' | 'assistant';
  parts: Part[];
  name?: string;
}

export interface Tool extends Cacheable {
  name: string;
  description?: string;
  parameters?: Json;
  strict?: boolean;
  /** The original tool if it takes free text; the other fields describe the function that replaces it. */
  custom?: Json;
}

export type ToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; name: string };

export type ResponseFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: Json; strict?: boolean; description?: string };

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

export interface Reasoning {
  effort?: Effort;
  budgetTokens?: number;
  /** The model decides how much to reason. */
  adaptive?: boolean;
}

export interface Params extends OutputBeside {
  /** The output limit, under whichever name it was given; the smallest of several. */
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  tools?: Tool[];
  /** Vendor-run tools, known only to their own format. */
  rawTools?: Json[];
  /** The vendor may search the web, however that was requested. */
  webSearch?: WebSearch;
  toolChoice?: ToolChoice;
  /** A tool choice that only its own format knows. */
  rawToolChoice?: Json;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  seed?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  n?: number;
  logprobs?: boolean;
  topLogprobs?: number;
  reasoning?: Reasoning;
  user?: string;
  /** Fields that only OpenAI's own servers support, by their chat names; others answer without them. */
  hints?: Json;
}

/** `chat`: OpenAI chat completions. `messages`: Anthropic messages. `responses`: OpenAI responses. `gemini`: Google's. */
export type WireFormat = 'chat' | 'messages' | 'responses' | 'gemini';

export interface Source {
  format: WireFormat;
  body: Json;
}

/** What a text completion asks for beyond a chat. */
export interface TextCompletion {
  /** The original body, for upstreams with such an endpoint. */
  body: Json;
  prompts: string[];
  echo: boolean;
  n: number;
  /** Number of completions generated, of which `n` are returned. */
  bestOf: number;
  logprobs: boolean;
}

/** A tool as named by a Responses client. */
export interface ToolName {
  name: string;
  namespace?: string;
  /** Takes free text; searches for tools that only the client has. */
  custom?: true;
  search?: true;
}

/** What a response repeats of its request, and tools that models see under another name or shape. */
export interface Echo {
  members: Json;
  tools: ReadonlyMap<string, ToolName>;
  /** Encrypts what a client must return unread, and decrypts it; null if it is not ours. */
  seals?: { seal(text: string): string; open(sealed: string): string | null };
}

export interface Conversation {
  model: string;
  system: TextPart[];
  turns: Turn[];
  params: Params;
  stream: boolean;
  /** The client asked for usage at the end of the stream. */
  includeUsage: boolean;
  /** The request used `functions` instead of `tools`; so does the answer. */
  oldFunctions?: true;
  /** Names of chat tools with free-text input. */
  customTools?: ReadonlySet<string>;
  /** Asked, and answered, as a text completion. */
  completion?: TextCompletion;
  /** Asked in Cohere's format, which is parsed as a chat, and answered in it. */
  cohere?: true;
  /** Of a Responses request, for its answer. */
  echo?: Echo;
  /** The client asked for reasoning, in formats where that is an option. */
  showThoughts?: true;
  /** Asked by this service itself, of whichever model suits: no client knows what it takes. */
  anyModel?: true;
  /** The original body: an upstream of the same format gets it with minimal changes. */
  source?: Source;
  /** The body's size by `weigh`. */
  bytes?: number;
}

/** A conversation sent by a client. */
export type Sourced = Conversation & { source: Source };

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface Answer {
  id: string;
  /** The upstream's model name. */
  model: string;
  parts: Part[];
  finish: Finish;
  /** The stop sequence that was hit, if the upstream says. */
  stopSequence?: string;
  usage?: Usage;
  /** Our own members beside those of the format. */
  extra?: Json;
  /** Whose reasoning its parts contain, as in `reasoning_details`. */
  reasoningFormat?: 'anthropic-claude-v1' | 'google-gemini-v1';
  /** The upstream's body: a client of the same format gets it with minimal changes. */
  source?: Source;
}

/** One step of a streamed answer. `index` of tool deltas counts calls from 0. */
export type Delta =
  /** `sure`: no other candidate can take over, so the client may be told at once. */
  | { type: 'start'; id?: string; model?: string; sure?: true }
  /** Another choice has started; it ends with its own `finish`. */
  | { type: 'choice' }
  | { type: 'text'; text: string; refusal?: true; logprobs?: unknown[] }
  /** For text that was sent before it. */
  | Citation
  | { type: 'thinking'; text: string }
  | { type: 'signature'; signature: string }
  | { type: 'redacted_thinking'; data: string }
  /** A `reasoning_details` entry that only its own vendor can read. */
  | { type: 'detail'; detail: Json }
  /** An image made by the model, complete. */
  | ImagePart
  /** A search run by the vendor, complete. */
  | SearchPart
  | { type: 'tool_start'; index: number; id: string; name: string; signature?: string }
  | { type: 'tool_args'; index: number; args: string }
  | { type: 'finish'; finish: Finish; stopSequence?: string; extra?: Json }
  | { type: 'extra'; extra: Json }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; error: UpstreamError }
  | { type: 'end' };

/**
 * `caller`: an error of the request, shown to the caller. `busy`: 429. `auth`: our credential or account. `failure`:
 * everything else. Only `caller` ends the search for another candidate.
 */
export interface UpstreamError {
  kind: 'caller' | 'busy' | 'failure' | 'auth';
  status: number;
  /** For the caller if `kind` is `caller`; otherwise for the log. */
  message: string;
  code?: string;
  param?: string;
  /** Anthropic's details, for the caller. */
  details?: Json;
  /** Headers to forward, such as `retry-after`. */
  headers: Record<string, string>;
  /** Caused by the request, but another upstream may accept it: the next one is tried, and the breaker ignores it. */
  byRequest?: true;
}

/** Thrown if an answer cannot be read: malformed, or an error with status 200. */
export class UpstreamFault extends Error {
  constructor(readonly error: UpstreamError) {
    super(error.message);
    this.name = 'UpstreamFault';
  }
}

export const failure = (message: string, status = 502): UpstreamError => ({
  ...{ kind: 'failure', status, message, headers: {} },
});
