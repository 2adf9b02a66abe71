import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { charsPerToken } from '../prompt.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { readRealtimeUsage } from '../wire/usage.ts';

/** No one turn of speech is longer, and none is written in more tokens. */
const mostSeconds = 3_600;
const mostTokens = 100_000;
const heardTokensPerSecond = 10;

/** What a transcript within a session used, in whatever its model is paid by. */
export function transcriptUsage({ price }: Candidate, { usage, transcript }: Json): Usage {
  const read = readRealtimeUsage(usage);
  const counted = isObject(usage) ? usage.seconds : undefined;
  const seconds = typeof counted === 'number' && counted > 0 ? Math.min(counted, mostSeconds) : 0;
  if (read && read.promptTokens <= mostTokens && read.completionTokens <= mostTokens)
    return { ...read, units: (read.audioInTokens ?? read.promptTokens) / heardTokensPerSecond / 60 };
  const words = typeof transcript === 'string' ? Math.ceil(transcript.length / charsPerToken) : 0;
  const heard = Math.ceil(seconds * heardTokensPerSecond);
  return {
    promptTokens: heard,
    completionTokens: words,
    ...(heard > 0 && { audioInTokens: heard }),
    units: seconds / 60,
    // Counted by the upstream only where its time is what is paid.
    ...((price.requestPrice === 0 || seconds === 0) && { estimated: true }),
  };
}
