import type { Usage } from '../../lib/money.ts';
import type { Citation } from './citations.ts';
import type { SearchPart, WebSearch } from './search.ts';

export { isObject, objectsIn } from '../../lib/is-object.ts';

/**
 * What every wire format is read into and written from. It is the union of what the formats can say, so that nothing
 * is lost on the way to a vendor that understands it; what a vendor cannot say is dropped there, not here.
 */
export type Json = Record<string, unknown>;

interface Cacheable {
  /** Anthropic's `cache_control`, as given. */
  cacheControl?: unknown;
}

export interface TextPart extends Cacheable {
  type: 'text';
  text: string;
  citations?: unknown;
  /** The model says why it does not answer. */
  refusal?: true;
  /** Of its tokens, as OpenAI gives them. */
  logprobs?: unknown[];
  /** Pages that it rests on, where the answer of a model names them. */
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
  /** Gemini's thought signature, without which it refuses its own call when it comes back. */
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
  /** Byte for byte as the vendor gave it; see `signature.ts` for whose it is. */
  signature?: string;
}

export interface RedactedThinkingPart {
  type: 'redacted_thinking';
  data: string;
}

/** A block of one format that has no counterpart elsewhere, such as a server tool's result. */
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

/** Results of tools are parts of a user turn, in the order they were given. */
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
  /** As a chat has it, where it takes text instead of JSON: the rest is of a function in its place. */
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
  /** The model decides how much to think. */
  adaptive?: boolean;
}

export interface Params {
  /** The one limit for the answer, under whatever name it was given; the smallest of several. */
  maxTokens?: number;
  /** Tokens that a vendor bills as output beside the answer. */
  outputBeside?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  tools?: Tool[];
  /** Tools that a vendor runs itself; only their own format knows them. */
  rawTools?: Json[];
  /** The vendor may search the web, in whatever words that was said. */
  webSearch?: WebSearch;
  toolChoice?: ToolChoice;
  /** A choice that only its own format knows. */
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
  /** What only OpenAI's own servers know, by its name in a chat body; others answer as well without it. */
  hints?: Json;
}

/** `chat`: OpenAI chat completions. `messages`: Anthropic messages. `responses`: OpenAI responses. `gemini`: Google's. */
export type WireFormat = 'chat' | 'messages' | 'responses' | 'gemini';

export interface Source {
  format: WireFormat;
  body: Json;
}

/** What a text completion asks beyond what a chat can say. */
export interface TextCompletion {
  /** As it came, for an upstream that has such an endpoint. */
  body: Json;
  prompts: string[];
  echo: boolean;
  n: number;
  /** Made, of which `n` are shown. */
  bestOf: number;
  logprobs: boolean;
}

/** A tool as the client of a responses request names it. */
export interface ToolName {
  name: string;
  namespace?: string;
  /** Takes text instead of JSON; finds tools that only the client has. */
  custom?: true;
  search?: true;
}

/** What a response repeats of its request, and the tools that models know under another name or in another shape. */
export interface Echo {
  members: Json;
  tools: ReadonlyMap<string, ToolName>;
  /** Closes what a client is to give back unread, and opens it; null where it is not ours. */
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
  /** Asked with functions instead of tools, and answered so. */
  oldFunctions?: true;
  /** Names of tools of a chat that take text. */
  customTools?: ReadonlySet<string>;
  /** Asked as a text completion, and answered so. */
  completion?: TextCompletion;
  /** Asked in Cohere's format, which is read as a chat, and answered so. */
  cohere?: true;
  /** Of a responses request, for its answer. */
  echo?: Echo;
  /** Asked, in a format where that is a question of its own, to see what the model thinks. */
  showThoughts?: true;
  /** The body as it came: an upstream of the same format gets it with only what must change. */
  source?: Source;
  /** What `weigh` makes of that body. */
  bytes?: number;
}

/** A conversation that a client sent. */
export type Sourced = Conversation & { source: Source };

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface Answer {
  id: string;
  /** As the upstream names it. */
  model: string;
  parts: Part[];
  finish: Finish;
  /** The stop sequence that was hit, where the upstream says. */
  stopSequence?: string;
  usage?: Usage;
  /** Members of ours beside those of the format. */
  extra?: Json;
  /** Whose thoughts are among its parts, in the words of `reasoning_details`. */
  reasoningFormat?: 'anthropic-claude-v1' | 'google-gemini-v1';
  /** The upstream's body, which a client of the same format gets with only what must change. */
  source?: Source;
}

/** One step of a streamed answer. `index` of tool deltas counts calls from 0. */
export type Delta =
  /** `sure`: no other candidate will take over, so that the client may be told at once. */
  | { type: 'start'; id?: string; model?: string; sure?: true }
  /** A choice beside the first has begun; it ends with a `finish` of its own. */
  | { type: 'choice' }
  | { type: 'text'; text: string; refusal?: true; logprobs?: unknown[] }
  /** Of words that were said before it. */
  | Citation
  | { type: 'thinking'; text: string }
  | { type: 'signature'; signature: string }
  | { type: 'redacted_thinking'; data: string }
  /** One of `reasoning_details` that only its own vendor can read. */
  | { type: 'detail'; detail: Json }
  /** A picture that the model made; it comes whole. */
  | ImagePart
  /** A search that the vendor ran; it comes whole. */
  | SearchPart
  | { type: 'tool_start'; index: number; id: string; name: string; signature?: string }
  | { type: 'tool_args'; index: number; args: string }
  | { type: 'finish'; finish: Finish; stopSequence?: string; extra?: Json }
  | { type: 'extra'; extra: Json }
  | { type: 'usage'; usage: Usage }
  | { type: 'error'; error: UpstreamError }
  | { type: 'end' };

/**
 * `caller`: the request's own fault, shown to the caller. `busy`: 429. `auth`: our credential or account.
 * `failure`: everything else. Only `caller` stops the search for another candidate.
 */
export interface UpstreamError {
  kind: 'caller' | 'busy' | 'failure' | 'auth';
  status: number;
  /** For the caller when `kind` is `caller`; for the log otherwise. */
  message: string;
  code?: string;
  param?: string;
  /** Anthropic's, for the caller. */
  details?: Json;
  /** Headers to hand on, such as `retry-after`. */
  headers: Record<string, string>;
  /** The request brought it about, though another upstream may do better: the next is asked, and the breaker left alone. */
  byRequest?: true;
}

/** Thrown where an answer cannot be read: malformed, or an error in a body with status 200. */
export class UpstreamFault extends Error {
  constructor(readonly error: UpstreamError) {
    super(error.message);
    this.name = 'UpstreamFault';
  }
}

export const failure = (message: string, status = 502): UpstreamError => ({
  ...{ kind: 'failure', status, message, headers: {} },
});
