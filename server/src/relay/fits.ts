import type { Candidate } from '../routing/candidate.ts';
import { tokensPerImage } from './media.ts';
import { charsPerToken, type Prompt } from './prompt.ts';

/** Past the estimate by this much, a request is sure not to fit; below it, the upstream may decide. */
const certain = 1.5;

/** Leaves out candidates whose window cannot hold the request, when it is large enough to matter. */
export function fitsPrompt({ estimate, texts, media }: Prompt): ((candidate: Candidate) => boolean) | undefined {
  if (estimate < 4_096) return undefined;
  // Only what is sure to be read: files may be short, and signatures of old thoughts are left out by their vendor.
  let tokens = media.images * tokensPerImage;
  for (const text of texts) tokens += text.length / charsPerToken;
  return holds(tokens);
}

const holds =
  (tokens: number) =>
  ({ contextLength }: Candidate): boolean =>
    contextLength === 0 || tokens <= contextLength * certain;
