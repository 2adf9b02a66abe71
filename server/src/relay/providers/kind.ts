import type { ByteSource } from '../../lib/byte-source.ts';
import type { Price, Usage } from '../../lib/money.ts';
import { withoutTrailing } from '../../lib/trailing.ts';
import type { Answer, Conversation, Delta, Json, Params, UpstreamError, WireFormat } from '../wire/conversation.ts';
import type { WebSearch } from '../wire/search.ts';

/** Where a request goes and as whom. */
export interface Target {
  baseUrl: string;
  credential: string;
  /** Name of the model at the upstream. */
  modelName: string;
  /** Names the row of `lib/vendors/table.ts`; else the base URL does. */
  provider?: string;
  /** Used where a vendor demands a limit and the client gave none. */
  maxOutputTokens?: number;
  /** Answers cost money, by the tokens: none may take more of them than is known beforehand, or anything else. */
  paid?: boolean;
  /** Searches of the web have a price of their own, and so may be asked for although answers cost money. */
  searches?: boolean;
  /** The operator says that the model searches the web, whoever its vendor is. */
  knownToSearch?: boolean;
  /** The client's own headers, lower case; each kind takes those its vendor knows. */
  clientHeaders?: Readonly<Record<string, string>>;
}

export interface UpstreamRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | FormData;
  /** Where a header with the credential is not enough: made right before the request leaves, see `relay/proof`. */
  proof?: Proof;
}

/** Who asks, for vendors that want a signature of each request or a token that soon ends. */
export type Proof =
  | { by: 'aws'; credential: string; service: string; region: string }
  | { by: 'google'; credential: string };

/** An endpoint other than chat: its body in the public format both ways. */
export interface Endpoint<In = Json> {
  /** Where a vendor takes less with one request: bodies that are asked one by one, and whose answers are put together. */
  split?(body: In): In[];
  toUpstream(body: In, target: Target): UpstreamRequest;
  fromUpstream(json: unknown, body: In): { body: Json; usage?: Usage };
}

export interface ModelEntry {
  id: string;
  name?: string;
  contextLength?: number;
  maxOutputTokens?: number;
  /** Where the list has prices in dollars a token, as OpenRouter's. */
  price?: Price;
}

/**
 * A kind of upstream, as pure functions: it writes requests and reads answers, and never calls. An endpoint that the
 * vendor lacks is undefined, so that routing can pass the channel over.
 */
export interface ProviderKind {
  name: string;
  /** How models of this name are asked, where a vendor has several ways; none of the members below count then. */
  forModel?(modelName: string): ProviderKind;
  /** The format of its chat answers; the same as a client's means bytes can pass. */
  wire: WireFormat;
  /** Names that tools may have, where they are others than most vendors take. */
  toolNames?: RegExp;
  /** Pictures are best given as data: the vendor fetches no addresses, or some of its models do not. */
  wantsImageData?: boolean;
  /** Whether a model searches the web as asked in any format: so that it is billed, and only where pages may be from. */
  searches?(conversation: Conversation, target: Target): boolean;
  /** Its vendor runs no searches, whatever format they are asked for in. */
  neverSearches?: true;
  /** Throws AppError `unsupported_parameter` for what the vendor cannot do and must not silently ignore. */
  toUpstream(conversation: Conversation, target: Target): UpstreamRequest;
  /** Throws UpstreamFault for a malformed answer and for an error object with status 200. */
  fromUpstream(json: unknown): Answer;
  /** Chat answers that come in another form, as `wire` has them. */
  received?(body: ByteSource, stream: boolean): ByteSource;
  /** A reader for one stream. */
  decoder(): (json: Json) => Delta[];
  errorOf(status: number, headers: Headers, bodyText: string): UpstreamError;
  /** For models that are marked to have the endpoint from before chat; the format is the same otherwise. */
  completions?: Pick<ProviderKind, 'toUpstream' | 'fromUpstream'>;
  /** The same upstream asked in the Responses format, for models that have it. */
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
  /** Where a WebSocket with events in OpenAI's format is opened. */
  /** `transcribes`: nothing is said in the session, only written down. */
  realtime?: { toUpstream(target: Target, transcribes: boolean): Pick<UpstreamRequest, 'url' | 'headers'> };
  countTokens?: {
    toUpstream(conversation: Conversation, target: Target): UpstreamRequest;
    fromUpstream(json: unknown): number;
  };
  models: {
    toUpstream(target: Target): UpstreamRequest;
    /** Further lists, of other publishers; they may be closed to a credential. */
    further?: ((target: Target) => UpstreamRequest)[];
    fromUpstream(json: unknown): ModelEntry[];
  };
}

/** Put aside, and sent, where neither the request nor the model bounds an answer that costs money. */
export const assumedOutputTokens = 4_096;

/** Searches of the web that are put aside for, and asked for at most, where the request does not say how many. */
export const assumedSearches = 10;

/** A search as a model that costs money is asked for it. */
export const searchFor = (search: WebSearch, { paid }: Target): WebSearch =>
  paid ? { maxUses: assumedSearches, ...search } : search;

/** The one limit that goes upstream; undefined where the model's own is what was put aside. */
export function outputLimit({ maxTokens }: Params, target: Target): number | undefined {
  // Some servers take 0 for none.
  if (maxTokens !== undefined) return Math.max(1, maxTokens);
  return target.paid && target.maxOutputTokens === undefined ? assumedOutputTokens : undefined;
}

export const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };

/** `path` below the base URL, whose version segment is added when the operator left it out. */
export function endpointUrl(baseUrl: string, version: string, path: string): string {
  const base = withoutTrailing(baseUrl, '/');
  if (base.endsWith(`/${version}`)) return base + path;
  const bare = /^https?:\/\/[^/]+$/.test(base);
  return bare ? `${base}/${version}${path}` : base + path;
}
