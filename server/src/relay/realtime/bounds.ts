import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import type { Bounds } from '../plausible-usage.ts';
import { assumedOutputTokens } from '../providers/kind.ts';
import { mostOfTranscripts } from './transcript.ts';

/** For models without a known context size. */
const assumedContext = 32_000;
/** The unseen part of a prompt, and the tolerance of counts. */
const unseenTokens = 1_000;
const otherCount = 1.25;

export const boundsOf = ({ contextLength, maxOutputTokens }: Candidate): Bounds => ({
  promptTokens: contextLength || assumedContext,
  completionTokens: maxOutputTokens || assumedOutputTokens,
});

/** Held at least, in transcription sessions, and what further sound is held for in advance. */
const leastSeconds = 300;
const unsentSeconds = 100;

/** The parts of a meter that a hold depends on. */
interface Measured {
  /** Tokens of the conversation. */
  tokens: number;
  hearing: { seconds: number };
}
export const nothingYet: Measured = { tokens: 0, hearing: { seconds: 0 } };

/** Upper bound of the transcripts of what was sent. */
export const mostHeard = ({ hearing }: Measured, hasMargin = true): Usage =>
  mostOfTranscripts(hearing.seconds + (hasMargin ? unsentSeconds : 0));

/** Upper bound of the next response's usage for a conversation of this length, or of transcripts of what was sent. */
export function mostOf(candidate: Candidate, { tokens, hearing }: Measured, hasMargin = true): Usage {
  if (candidate.type === 'transcription')
    return mostOfTranscripts(Math.max(leastSeconds, hearing.seconds + (hasMargin ? unsentSeconds : 0)));
  const { promptTokens, completionTokens } = boundsOf(candidate);
  const expected = Math.ceil(tokens * otherCount) + (hasMargin ? unseenTokens : 0);
  return { promptTokens: Math.min(promptTokens, expected), completionTokens };
}

/** Sessions may use audio and images at any time. */
export const asks = { hasAudio: true, hasImages: true };
