import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import type { Bounds } from '../plausible-usage.ts';
import { assumedOutputTokens } from '../providers/kind.ts';
import { mostOfTranscript } from './transcript.ts';

/** For models without a known context size. */
const assumedContext = 32_000;
/** The unseen part of a prompt, and the tolerance of counts. */
const unseenTokens = 1_000;
const otherCount = 1.25;

export const boundsOf = ({ contextLength, maxOutputTokens }: Candidate): Bounds => ({
  promptTokens: contextLength || assumedContext,
  completionTokens: maxOutputTokens || assumedOutputTokens,
});

/** Upper bound of the next response's usage for a conversation of this length, or of the next transcript. */
export function mostOf(candidate: Candidate, conversationTokens: number, unseen = unseenTokens): Usage {
  if (candidate.type === 'transcription') return mostOfTranscript();
  const { promptTokens, completionTokens } = boundsOf(candidate);
  const expected = Math.ceil(conversationTokens * otherCount) + unseen;
  return { promptTokens: Math.min(promptTokens, expected), completionTokens };
}

/** Sessions may use audio and images at any time. */
export const asks = { hasAudio: true, hasImages: true };
