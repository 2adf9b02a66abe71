import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { minutesOfText } from '../endpoints/audio-length.ts';
import { mostOf } from '../endpoints/transcript-usage.ts';
import { charsPerToken } from '../prompt.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { readRealtimeUsage, usageOf } from '../wire/usage.ts';

export interface Transcript {
  candidate: Candidate;
  usage: Usage;
  /** What was heard for it. */
  item: string;
}

/** Upper bound of one turn of speech, and of its tokens. */
const mostSeconds = 3_600;
const mostTokens = 100_000;
const heardTokensPerSecond = 10;

/** Upper bound of what transcribing this much sound uses. */
export const mostOfTranscripts = (seconds: number): Usage => mostOf(seconds, new FormData());

/** Usage of a transcript within a session, in its model's billing unit. */
export function transcriptUsage({ price }: Candidate, { usage, transcript }: Json): Usage {
  const read = readRealtimeUsage(usage);
  const counted = isObject(usage) ? usage.seconds : undefined;
  const seconds = typeof counted === 'number' && counted > 0 ? Math.min(counted, mostSeconds) : 0;
  if (read && read.promptTokens <= mostTokens && read.completionTokens <= mostTokens)
    return { ...read, units: (read.audioInTokens ?? read.promptTokens) / heardTokensPerSecond / 60 };
  const letters = typeof transcript === 'string' ? transcript.length : 0;
  // The upstream's count only matters if time is billed.
  return { ...usageOfSpeech(seconds, letters), estimated: price.requestPrice === 0 || seconds === 0 };
}

/** For a transcript without its end: estimated by its length. */
export const usageOfPart = (letters: number): Usage => ({
  ...usageOfSpeech(minutesOfText('a') * 60 * letters, letters),
  estimated: true,
});

function usageOfSpeech(seconds: number, letters: number): Usage {
  const heard = Math.ceil(seconds * heardTokensPerSecond);
  const words = Math.ceil(letters / charsPerToken);
  return { ...usageOf(heard, words, { audioIn: heard }), units: seconds / 60 };
}
