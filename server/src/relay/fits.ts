import type { Candidate } from '../routing/candidate.ts';
import type { Prompt } from './prompt.ts';

/** Past the estimate by this much, a request is sure not to fit; below it, the upstream may decide. */
const certain = 1.5;

/** Leaves out candidates whose window cannot hold the request, when it is large enough to matter. */
export function fitsPrompt({ estimate }: Prompt): ((candidate: Candidate) => boolean) | undefined {
  if (estimate < 4_096) return undefined;
  return (candidate) => candidate.contextLength === 0 || estimate <= candidate.contextLength * certain;
}
