import { type Asks, isFree, paysSearches } from '../lib/money.ts';
import { loadTokens } from '../lib/tokens.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type Media, mediaOf } from './media.ts';
import type { Bounds } from './plausible-usage.ts';
import { assumedOutputTokens, assumedSearches } from './providers/kind.ts';
import type { Conversation, Params } from './wire/conversation.ts';
import { promptTexts } from './wire/prompt-texts.ts';

/** About four characters make a token. */
export const charsPerToken = 4;
/** A token is a byte at least, and so four times the estimate is more than any tokenizer counts. */
const mostOverEstimate = 4;
/** Vendors' tokenizers differ from ours by less. */
export const otherTokenizer = 1.25;
/** Counts pictures at 33 times the tokens of its sisters, so that they cost the same. */
const multipliedImages = /4o-mini/;
const tokensPerMultipliedImage = 48_200;

/** What a search puts into a prompt, as a rule; what it put there is charged. */
const tokensPerSearch = 8_000;
const mostSearches = 50;

/** What a request may take and make. An open stream keeps this instead of the request, whose pictures may take megabytes. */
export class Prompt {
  /** Tokens, roughly and at once. */
  readonly estimate: number;

  /** What it may use of what some models price apart. */
  get asks(): Asks {
    return { mayWriteCache: this.media.cached, hasAudio: this.media.sounds > 0, hasImages: this.media.images > 0 };
  }

  constructor(
    readonly texts: readonly string[],
    readonly media: Media,
    /** Of everything but media. */
    readonly bytes: number,
    readonly params: Pick<Params, 'maxTokens' | 'n' | 'outputBeside' | 'webSearch'>,
  ) {
    this.estimate = Math.ceil(bytes / charsPerToken) + media.tokens;
  }

  /** The most that it can use with a candidate: what is put aside, and what is believed. */
  most(candidate: Candidate): Bounds {
    const bounds = { promptTokens: this.#mostPrompt(candidate), completionTokens: this.#mostOutput(candidate) };
    const { webSearch } = this.params;
    if (!webSearch || !paysSearches(candidate.price)) return bounds;
    const searches = webSearch.maxUses ?? assumedSearches;
    return { ...bounds, promptTokens: bounds.promptTokens + searches * tokensPerSearch, searches };
  }

  /** Searches that an upstream may count: as many as were asked for, or a number that is no slip where nobody said how many. */
  believedSearches({ price }: Candidate): number {
    const { webSearch } = this.params;
    if (webSearch) return webSearch.maxUses ?? mostSearches;
    // Some search unasked, and have a price where that costs.
    return price.searchPrice === undefined ? 0 : assumedSearches;
  }

  #mostPrompt({ modelName }: Candidate): number {
    const multiplied =
      this.media.images > 0 && multipliedImages.test(modelName) ? this.media.images * tokensPerMultipliedImage : 0;
    return this.estimate * mostOverEstimate + multiplied;
  }

  /** By the request, else by the model, else as is assumed and sent. */
  #mostOutput({ maxOutputTokens, price }: Candidate): number {
    const { maxTokens, n = 1, outputBeside = 0 } = this.params;
    const limit = maxTokens ?? (maxOutputTokens || (isFree(price) ? Number.MAX_SAFE_INTEGER : assumedOutputTokens));
    return Math.max(limit, 1) * n + outputBeside;
  }

  /** By tokenizer. */
  async count(): Promise<number> {
    return (await this.#countTexts()) + this.media.tokens;
  }

  /** The most that vendors make of it, nearer than `most`, for the time it takes to count. */
  async countMost(): Promise<number> {
    const texts = Math.ceil((await this.#countTexts()) * otherTokenizer);
    let beside = this.bytes;
    for (const text of this.texts) beside -= Buffer.byteLength(text);
    return texts + Math.ceil(Math.max(0, beside) / 3) + this.media.tokens * mostOverEstimate;
  }

  async #countTexts(): Promise<number> {
    const { countEach } = await loadTokens();
    return (await countEach(this.texts)).reduce((tokens, count) => tokens + count + 4, 3);
  }
}

export function promptOf(conversation: Conversation): Prompt {
  const texts = promptTexts(conversation);
  const media = mediaOf(conversation.turns);
  media.cached ||= asksForCache(conversation);
  const bytes = conversation.bytes === undefined ? bytesOf(texts) : conversation.bytes - media.bytes;
  const { maxTokens, n, outputBeside, webSearch } = conversation.params;
  return new Prompt(texts, media, bytes, { maxTokens, n, outputBeside, webSearch });
}

const asksForCache = ({ system, params, source }: Conversation): boolean =>
  source?.body.cache_control !== undefined ||
  system.some((part) => part.cacheControl !== undefined) ||
  (params.tools?.some((tool) => tool.cacheControl !== undefined) ?? false);

/** Of a conversation that was never a body; every text has a frame of its own around it. */
const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) + 8, 0);
