import type { Price, Usage } from '../../lib/money.ts';
import { plausibleOrCounted } from '../count-usage.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { tokens } from '../wire/usage.ts';
import { countTexts } from './count-texts.ts';

/** The highest count per second of audio among vendors. */
const soundTokensPerSecond = 32;
/** The usual count of token-billed vendors, for answers without usage (`text`, `srt`, `vtt`). */
const usualTokensPerSecond = 10;
/** The fastest speech, plus a sentence that some models write for any noise. */
const spokenTokensPerSecond = 8;
const sentenceTokens = 100;
/** An upstream's duration may exceed ours by this factor and a minute at most. */
const mostOverLength = 4;

export interface MostUsage {
  promptTokens: number;
  completionTokens: number;
  /** Minutes. */
  units: number;
}

/** Upper bound of a transcript's usage for this duration. */
export function mostOf(seconds: number, form: FormData): MostUsage {
  let bytes = 0;
  for (const [name, value] of form) if (typeof value === 'string') bytes += name.length + Buffer.byteLength(value);
  return {
    promptTokens: Math.ceil(seconds * soundTokensPerSecond) + bytes,
    completionTokens: Math.ceil(seconds * spokenTokensPerSecond) + sentenceTokens,
    units: seconds / 60,
  };
}

const positive = (value: unknown): number | undefined => {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
};

/** Minutes as the upstream reports them, else from the file; tokens if the upstream reports those. */
export async function transcriptUsage(
  deps: RelayDeps,
  context: RequestContext,
  answer: Json,
  text: string,
  most: MostUsage,
  /** Minimum duration for the file's size. */
  leastSeconds: number,
  price: Price,
): Promise<Usage> {
  const usage = isObject(answer.usage) ? answer.usage : {};
  const seconds = positive(usage.seconds) ?? positive(answer.duration) ?? 0;
  const known = seconds > 0 && seconds >= leastSeconds && seconds <= most.units * 60 * mostOverLength + 60;
  const output = positive(usage.output_tokens);
  const units = known ? seconds / 60 : most.units;
  const isSoldByTokens = price.promptPrice > 0 || (price.parts?.audioIn ?? 0) > 0;
  const heard = isSoldByTokens ? Math.ceil(units * 60 * usualTokensPerSecond) : 0;
  const input = positive(usage.input_tokens);
  const prompt = await plausibleOrCounted(deps, context, input, most.promptTokens, () => heard);
  const made = await plausibleOrCounted(deps, context, output, most.completionTokens, () => countTexts([text]));
  const details = isObject(usage.input_token_details) ? usage.input_token_details : {};
  const audioInTokens = prompt.estimated ? heard : tokens(details.audio_tokens);
  return {
    ...(audioInTokens && { audioInTokens }),
    promptTokens: prompt.tokens,
    completionTokens: made.tokens,
    units,
    ...((made.estimated || (isSoldByTokens && prompt.estimated)) && { estimated: true }),
  };
}
