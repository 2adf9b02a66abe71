import type { Usage } from '../../lib/money.ts';
import type { Candidate } from '../../routing/candidate.ts';
import type { Bounds } from '../plausible-usage.ts';
import { assumedOutputTokens } from '../providers/kind.ts';
import { mostOfTranscript } from './transcript.ts';

/** Where a model does not say how much it reads. */
const assumedContext = 32_000;
/** What we do not see of a prompt, and by how much a count may differ from ours. */
const unseenTokens = 1_000;
const otherCount = 1.25;

export const boundsOf = ({ contextLength, maxOutputTokens }: Candidate): Bounds => ({
  promptTokens: contextLength || assumedContext,
  completionTokens: maxOutputTokens || assumedOutputTokens,
});

/** The most that the next response can use, of a conversation of this length, or the next transcript. */
export function mostOf(candidate: Candidate, conversationTokens: number, unseen = unseenTokens): Usage {
  if (candidate.type === 'transcription') return mostOfTranscript();
  const { promptTokens, completionTokens } = boundsOf(candidate);
  const expected = Math.ceil(conversationTokens * otherCount) + unseen;
  return { promptTokens: Math.min(promptTokens, expected), completionTokens };
}

/** Sessions hear and speak, whatever they began with. */
export const asks = { hasAudio: true, hasImages: true };
