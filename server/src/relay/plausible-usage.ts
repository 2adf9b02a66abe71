import type { Usage } from '../lib/money.ts';

/** The most a request can use; a higher count is wrong, by mistake or on purpose. */
export interface Bounds {
  /** More than any tokenizer makes of the prompt. */
  promptTokens: number;
  /** The most the answer may contain. */
  completionTokens: number;
  /** Web searches it may use; absent if none were asked for. */
  searches?: number;
}

/** The vendor's own instructions and framing of tools and images, which we do not see. */
const unseen = 1_000;

const parts = {
  promptTokens: ['cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens', 'audioInTokens', 'imageInTokens'],
  completionTokens: ['reasoningTokens', 'audioOutTokens'],
} as const;

type Half = 'promptTokens' | 'completionTokens';

/** What one search can add to the prompt, which later searches read again. */
const tokensPerSearch = 50_000;

/** Bounds including the text that searches add to the prompt. */
export const boundsWith = (bounds: Bounds, searches: number): Bounds =>
  searches === 0 ? bounds : { ...bounds, promptTokens: bounds.promptTokens + searches * tokensPerSearch };

export const isPlausible = (tokens: number | undefined, most: number): tokens is number =>
  Number.isSafeInteger(tokens) && tokens! > 0 && tokens! <= most + unseen;

/** The upstream's final count, or undefined if it is missing or implausible and we have to count. */
export function plausibleUsage(reported: Usage | undefined, bounds: Bounds, hasOutput: boolean): Usage | undefined {
  if (!reported || !isPlausible(reported.promptTokens, bounds.promptTokens)) return undefined;
  const { completionTokens } = reported;
  const isNone = completionTokens === 0 && !hasOutput;
  if (!isNone && !isPlausible(completionTokens, bounds.completionTokens)) return undefined;
  return partsFit(reported, 'promptTokens') && partsFit(reported, 'completionTokens')
    ? reported
    : { ...keep(reported, 'promptTokens'), ...keep(reported, 'completionTokens') };
}

/**
 * What is charged if a count is only partly plausible: each half as reported where it is kept, else as we counted it.
 */
export function fillUsage(reported: Usage | undefined, counted: Partial<Bounds>, bounds: Bounds): Usage {
  const half = (name: Half): Usage => {
    const ours = counted[name];
    if (ours === undefined) return keep(reported!, name);
    return { [name]: Math.min(ours, bounds[name]) } as Partial<Usage> as Usage;
  };
  return { ...half('promptTokens'), ...half('completionTokens'), estimated: true };
}

/** The parts of a half must not exceed it. */
function partsFit(usage: Usage, half: Half): boolean {
  let left = usage[half];
  for (const part of parts[half]) {
    const tokens = usage[part];
    if (tokens === undefined) continue;
    if (!(Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= left)) return false;
    left -= tokens;
  }
  return true;
}

/** One half of a usage, with those parts that are plausible. */
function keep(usage: Usage, half: Half): Usage {
  const kept = { [half]: usage[half] } as Partial<Usage> as Usage;
  for (const part of parts[half]) {
    if (usage[part] === undefined) continue;
    const more = { ...kept, [part]: usage[part] };
    if (partsFit(more, half)) kept[part] = usage[part];
  }
  return kept;
}
