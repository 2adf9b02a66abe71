import type { Candidate } from '../routing/candidate.ts';
import { tokensPerImage } from './media.ts';
import { charsPerToken, type Prompt } from './prompt.ts';

/** A request this far above the window certainly does not fit; closer to it, the upstream decides. */
const certain = 1.5;

/** Excludes candidates whose context window cannot hold the request, if the request is large enough to matter. */
export function fitsWindow({ estimate, texts, media }: Prompt): ((candidate: Candidate) => boolean) | undefined {
  if (estimate < 4_096) return undefined;
  // Counts only what the vendor certainly reads: files may be short, and signatures of old thoughts are dropped.
  let tokens = media.images * tokensPerImage;
  for (const text of texts) tokens += text.length / charsPerToken;
  return holds(tokens);
}

const holds =
  (tokens: number) =>
  ({ contextLength }: Candidate): boolean =>
    contextLength === 0 || tokens <= contextLength * certain;
