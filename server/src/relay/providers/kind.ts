import type { ByteSource } from '../../lib/byte-source.ts';
import type { Price, Usage } from '../../lib/money.ts';
import { trimEndOf } from '../../lib/trim-end.ts';
import type { Answer, Conversation, Delta, Json, Params, UpstreamError, WireFormat } from '../wire/conversation.ts';
import type { WebSearch } from '../wire/search.ts';

/** Where a request goes, and with which credential. */
export interface Target {
  baseUrl: string;
  credential: string;
  /** The model's upstream name. */
  modelName: string;
  /** Selects the row of `lib/vendors/table.ts`; else the base URL does. */
  provider?: string;
  /** Used if a vendor requires a limit and the client gave none. */
  maxOutputTokens?: number;
  /** Answers are charged by tokens: nothing may use more than is known beforehand, or anything else that is billed. */
  paid?: boolean;
  /** Web searches have a price, so they are allowed although answers are charged. */
  searches?: boolean;
  /** The operator says that the model searches the web, whatever its vendor. */
  knownToSearch?: boolean;
  /** The client's forwarded headers, in lower case; each kind uses those its vendor knows. */
  clientHeaders?: Readonly<Record<string, string>>;
}

export interface UpstreamRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | FormData;
  /** Set if a credential header is not enough: a signature or token made right before sending, see `relay/credentials`. */
  proof?: Proof;
}

/** For vendors that require signed requests or short-lived tokens. */
export type Proof =
  | { by: 'aws'; credential: string; service: string; region: string }
  | { by: 'google'; credential: string };

/** An endpoint other than chat, with bodies in the public format. */
export interface Endpoint<In = Json> {
  /** Splits a body for vendors that accept less per request; the answers are joined. */
  split?(body: In, target: Target): In[];
  toUpstream(body: In, target: Target): UpstreamRequest;
  fromUpstream(json: unknown, body: In): { body: Json; usage?: Usage };
}

export interface ModelEntry {
  id: string;
  name?: string;
  contextLength?: number;
  maxOutputTokens?: number;
  /** If the list has prices per token, as OpenRouter's. */
  price?: Price;
}

/**
 * A kind of upstream as pure functions: it writes requests and reads answers, and never sends. Endpoints that the
 * vendor lacks are undefined, so that routing can skip the channel.
 */
export interface ProviderKind {
  name: string;
  /** The kind for a model name, if the vendor has several APIs; then no other member applies. */
  forModel?(modelName: string): ProviderKind;
  /** The format of its chat answers; if it equals the client's, bytes can be forwarded. */
  wire: WireFormat;
  /** Accepted tool names, if they differ from most vendors'. */
  toolNames?: RegExp;
  /** Images should be inlined: the vendor fetches no URLs, or not for all models. */
  wantsImageData?: boolean | ((target: Target) => boolean);
  /**
   * Whether a model performs the requested web search, in any format, such that it is billed and respects domain lists.
   */
  searches?(conversation: Conversation, target: Target): boolean;
  /** The vendor runs no searches in any format. */
  neverSearches?: true;
  /** Throws AppError `unsupported_parameter` for what the vendor cannot do and must not silently ignore. */
  toUpstream(conversation: Conversation, target: Target): UpstreamRequest;
  /** Throws UpstreamFault for a malformed answer, or an error with status 200. */
  fromUpstream(json: unknown): Answer;
  /** Converts chat answers that arrive in another form to `wire`. */
  received?(body: ByteSource, stream: boolean): ByteSource;
  /** A decoder for one stream. */
  decoder(): (json: Json) => Delta[];
  errorOf(status: number, headers: Headers, bodyText: string): UpstreamError;
  /** For models marked as having the legacy completions endpoint. */
  completions?: Pick<ProviderKind, 'toUpstream' | 'fromUpstream'>;
  /** The same upstream with the Responses API, for models that have it. */
  responses?: ProviderKind;
  embeddings?: Endpoint;
  images?: Endpoint;
  imageEdits?: Endpoint<FormData>;
  imageVariations?: Endpoint<FormData>;
  moderations?: Endpoint;
  rerank?: Endpoint;
  /** Answers with bytes. */
  speech?: Pick<Endpoint, 'toUpstream'>;
  transcriptions?: Pick<Endpoint<FormData>, 'toUpstream'>;
  translations?: Pick<Endpoint<FormData>, 'toUpstream'>;
  /** Opens a WebSocket with events in OpenAI's format. */
  /** `transcribes`: a transcription session without answers. */
  realtime?: { toUpstream(target: Target, transcribes: boolean): Pick<UpstreamRequest, 'url' | 'headers'> };
  countTokens?: {
    toUpstream(conversation: Conversation, target: Target): UpstreamRequest;
    fromUpstream(json: unknown): number;
  };
  models: {
    toUpstream(target: Target): UpstreamRequest;
    /** Further lists, of other publishers; a credential may not have access. */
    further?: ((target: Target) => UpstreamRequest)[];
    fromUpstream(json: unknown): ModelEntry[];
  };
}

/** Held, and sent, if neither the request nor the model limits an answer that is charged. */
export const assumedOutputTokens = 4_096;

/** Searches that are held for, and the maximum sent, if the request does not limit them. */
export const assumedSearches = 10;

/** A search as requested from a charged model. */
export const searchFor = (search: WebSearch, { paid }: Target): WebSearch =>
  paid ? { maxUses: assumedSearches, ...search } : search;

/** The limit sent upstream; undefined if the model's own limit was held for. */
export function outputLimit({ maxTokens }: Params, target: Target): number | undefined {
  // Some servers treat 0 as unlimited.
  if (maxTokens !== undefined) return Math.max(1, maxTokens);
  return target.paid && target.maxOutputTokens === undefined ? assumedOutputTokens : undefined;
}

/**
 * The limit in another format than the request's. A client of one format cannot know the models of others, such as one
 * that asks for 32,000 tokens of every model, and vendors refuse more than a model gives.
 */
export function limitWithin(params: Params, target: Target): number | undefined {
  const limit = outputLimit(params, target);
  return limit === undefined ? undefined : Math.min(limit, target.maxOutputTokens ?? limit);
}

export const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };

/** `path` below the base URL, with the version segment added if the operator omitted it. */
export function endpointUrl(baseUrl: string, version: string, path: string): string {
  const base = trimEndOf(baseUrl, '/');
  if (base.endsWith(`/${version}`)) return base + path;
  const bare = /^https?:\/\/[^/]+$/.test(base);
  return bare ? `${base}/${version}${path}` : base + path;
}
