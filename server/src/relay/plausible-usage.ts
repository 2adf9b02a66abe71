import type { Usage } from '../lib/money.ts';

/** What a request can use: a count above it is the upstream's mistake, or its lie. */
export interface Bounds {
  /** More than any tokenizer makes of the prompt. */
  promptTokens: number;
  /** What the answer may hold. */
  completionTokens: number;
  /** Searches of the web that it may rest on; none where nobody asked for one. */
  searches?: number;
}

/** Instructions of the vendor's own, and frames around tools and pictures, which we do not see. */
const unseen = 1_000;

const parts = {
  promptTokens: ['cacheReadTokens', 'cacheWriteTokens', 'cacheWrite1hTokens', 'audioInTokens', 'imageInTokens'],
  completionTokens: ['reasoningTokens', 'audioOutTokens'],
} as const;

type Half = 'promptTokens' | 'completionTokens';

/** What each search can add to a prompt, which models read anew with every further one. */
const tokensPerSearch = 50_000;

/** With what searches put into its prompt. */
export const boundsWith = (bounds: Bounds, searches: number): Bounds =>
  searches === 0 ? bounds : { ...bounds, promptTokens: bounds.promptTokens + searches * tokensPerSearch };

export const isPlausible = (tokens: number | undefined, most: number): tokens is number =>
  Number.isSafeInteger(tokens) && tokens! > 0 && tokens! <= most + unseen;

/** A final count as the upstream reports it, or undefined when we have to count: there is none, or it cannot be true. */
export function plausibleUsage(reported: Usage | undefined, bounds: Bounds, hasOutput: boolean): Usage | undefined {
  if (!reported || !isPlausible(reported.promptTokens, bounds.promptTokens)) return undefined;
  const { completionTokens } = reported;
  const isNone = completionTokens === 0 && !hasOutput;
  if (!isNone && !isPlausible(completionTokens, bounds.completionTokens)) return undefined;
  return partsFit(reported, 'promptTokens') && partsFit(reported, 'completionTokens')
    ? reported
    : { ...keep(reported, 'promptTokens'), ...keep(reported, 'completionTokens') };
}

/** What is charged where a count was not believed as a whole: of each half the upstream's where it is kept, else ours. */
export function fillUsage(reported: Usage | undefined, counted: Partial<Bounds>, bounds: Bounds): Usage {
  const half = (name: Half): Usage => {
    const ours = counted[name];
    if (ours === undefined) return keep(reported!, name);
    return { [name]: Math.min(ours, bounds[name]) } as Partial<Usage> as Usage;
  };
  return { ...half('promptTokens'), ...half('completionTokens'), estimated: true };
}

/** Parts are of the whole: together they are no more. */
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

/** One half of a usage, with those of its parts that can be true. */
function keep(usage: Usage, half: Half): Usage {
  const kept = { [half]: usage[half] } as Partial<Usage> as Usage;
  for (const part of parts[half]) {
    if (usage[part] === undefined) continue;
    const more = { ...kept, [part]: usage[part] };
    if (partsFit(more, half)) kept[part] = usage[part];
  }
  return kept;
}
