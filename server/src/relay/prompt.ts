import { AppError } from '../lib/errors.ts';
import { isHeavy, largeBytes } from '../lib/json-shape.ts';
import { type Asks, isFree, paysSearches } from '../lib/money.ts';
import { loadTokens } from '../lib/tokens.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type Media, mediaOf } from './media.ts';
import type { Bounds } from './plausible-usage.ts';
import { assumedOutputTokens, assumedSearches } from './providers/kind.ts';
import type { Conversation, Params } from './wire/conversation.ts';
import { mostThoughtsBeside } from './wire/limit-names.ts';
import { promptTexts } from './wire/prompt-texts.ts';

/** About four characters per token. */
export const charsPerToken = 4;
/** A token has at least one byte, so four times the estimate exceeds any tokenizer's count. */
const mostOverEstimate = 4;
/** Other vendors' tokenizers differ from ours by less than this factor. */
export const otherTokenizer = 1.25;
/** Counts images at 33 times the tokens of its sibling models, so that they cost the same. */
const multipliedImages = /4o-mini/;
const tokensPerMultipliedImage = 48_200;

/** Always think, beyond the limit of the answer. */
const thinksBeside = (name: string): boolean => /qwq/i.test(name) || (/qwen/i.test(name) && /thinking/i.test(name));

/** The longest context of common models, for those whose own is not known. */
const longestContext = 1_000_000;

/** What a search usually adds to a prompt; what it really added is charged. */
const tokensPerSearch = 8_000;
const mostSearches = 50;

/** Size and limits of a request. An open stream keeps this instead of the request, whose images may take megabytes. */
export class Prompt {
  /** A rough token count, available at once. */
  readonly estimate: number;

  /** Features in use that some models price separately. */
  get asks(): Asks {
    return { mayWriteCache: this.media.cached, hasAudio: this.media.sounds > 0, hasImages: this.media.images > 0 };
  }

  constructor(
    readonly texts: readonly string[],
    readonly media: Media,
    /** Of everything but media. */
    readonly bytes: number,
    readonly params: Pick<Params, 'maxTokens' | 'n' | 'outputBeside' | 'thoughtsBeside' | 'webSearch'>,
  ) {
    this.estimate = Math.ceil(bytes / charsPerToken) + media.tokens;
  }

  /** Upper bound of the usage with a candidate, for the hold. */
  most(candidate: Candidate): Bounds {
    const bounds = { promptTokens: this.#mostPrompt(candidate), completionTokens: this.#mostOutput(candidate) };
    const { webSearch } = this.params;
    if (!webSearch || !paysSearches(candidate.price)) return bounds;
    const searches = webSearch.maxUses ?? assumedSearches;
    return { ...bounds, promptTokens: bounds.promptTokens + searches * tokensPerSearch, searches };
  }

  /**
   * Upper bound of what a report may claim. The vendor alone knows how long videos and files are, and charges us for
   * all that its model reads.
   */
  believed(candidate: Candidate): Bounds {
    const { paged, unusual, endless } = this.media;
    const most = this.most(candidate);
    const read = paged || endless ? candidate.contextLength || longestContext : 0;
    if (read === 0 && unusual === 0) return most;
    return { ...most, promptTokens: Math.max(most.promptTokens + unusual, read) };
  }

  /** The most searches that a reported count may claim: the requested maximum, or a generous default. */
  believedSearches({ price }: Candidate): number {
    const { webSearch } = this.params;
    if (webSearch) return webSearch.maxUses ?? mostSearches;
    // Some models search on their own, and have a price if that costs money.
    return price.searchPrice === undefined ? 0 : assumedSearches;
  }

  #mostPrompt({ modelName, contextLength }: Candidate): number {
    const multiplied =
      this.media.images > 0 && multipliedImages.test(modelName) ? this.media.images * tokensPerMultipliedImage : 0;
    const { unmeasured, endless } = this.media;
    const most = this.estimate * mostOverEstimate + multiplied;
    const files = unmeasured * mostOverEstimate;
    // More than its context no model reads.
    const beyond = contextLength > 0 ? Math.min(files, contextLength) : files;
    return endless ? Math.max(most + beyond, contextLength) : most + beyond;
  }

  /** The request's limit, else the model's, else the default that is sent along. */
  #mostOutput({ maxOutputTokens, modelName, price }: Candidate): number {
    const { maxTokens, n = 1, outputBeside = 0 } = this.params;
    const { thoughtsBeside = thinksBeside(modelName) ? mostThoughtsBeside : 0 } = this.params;
    const limit = maxTokens ?? (maxOutputTokens || (isFree(price) ? Number.MAX_SAFE_INTEGER : assumedOutputTokens));
    return (Math.max(limit, 1) + thoughtsBeside) * n + outputBeside;
  }

  /** By tokenizer. */
  async count(): Promise<number> {
    return (await this.#countTexts()) + this.media.tokens;
  }

  /** Upper bound of what vendors count: closer than `most`, at the cost of counting. */
  async countMost(): Promise<number> {
    if (this.media.endless) return Number.POSITIVE_INFINITY;
    const texts = Math.ceil((await this.#countTexts(Buffer.byteLength)) * otherTokenizer);
    let beside = this.bytes;
    for (const text of this.texts) beside -= Buffer.byteLength(text);
    return texts + Math.ceil(Math.max(0, beside) / 3) + (this.media.tokens + this.media.unmeasured) * mostOverEstimate;
  }

  async #countTexts(unsure?: (text: string) => number): Promise<number> {
    const { countEach } = await loadTokens();
    return (await countEach(this.texts, unsure)).reduce((tokens, count) => tokens + count + 4, 3);
  }
}

export function promptOf(conversation: Conversation): Prompt {
  refuseHeavyCalls(conversation);
  const texts = promptTexts(conversation);
  const media = mediaOf(conversation.turns);
  media.cached ||= asksForCache(conversation);
  const bytes = conversation.bytes === undefined ? bytesOf(texts) : conversation.bytes - media.bytes;
  const { maxTokens, n, outputBeside, thoughtsBeside, webSearch } = conversation.params;
  return new Prompt(texts, media, bytes, { maxTokens, n, outputBeside, thoughtsBeside, webSearch });
}

/** Most vendors take arguments as objects, so that they are parsed for each. */
export function refuseHeavyCalls({ turns, bytes = largeBytes }: Conversation): void {
  if (bytes < largeBytes) return;
  const calls = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool_call' ? [part.arguments] : [])),
  );
  if (isHeavy(calls))
    throw new AppError('invalid_value', 'The arguments of tool calls are too large to be read as JSON.');
}

const asksForCache = ({ system, params, source }: Conversation): boolean =>
  source?.body.cache_control !== undefined ||
  system.some((part) => part.cacheControl !== undefined) ||
  (params.tools?.some((tool) => tool.cacheControl !== undefined) ?? false);

/** For conversations that were never a request body; allows for the JSON around each text. */
const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) + 8, 0);
