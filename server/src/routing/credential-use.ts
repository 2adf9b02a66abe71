import { costOf, type Usage } from '../lib/money.ts';
import type { Candidate } from './candidate.ts';
import type { CredentialUse, Expected } from './credential-meter.ts';
import type { Sample } from './window.ts';

/** The most that a request can use with a candidate. */
export interface Expectation {
  most(candidate: Candidate): Usage;
}

/** Of a text every byte may be a token, and four of them usually are one. */
const bytesPerToken = 4;
/** Few answers are longer, whatever they were allowed. */
const usualOutputTokens = 4_096;

/** What is usual where so much is possible: held to the most, few requests would fill a limit. */
export function expectedOf({ price }: Candidate, most: Usage): Expected {
  const promptTokens = Math.ceil(most.promptTokens / bytesPerToken);
  const completionTokens = Math.min(most.completionTokens, usualOutputTokens);
  const spent = costOf(price, { ...most, promptTokens, completionTokens });
  return { tokens: promptTokens + completionTokens, spent };
}

type Reported = Pick<Sample, 'outcome' | 'promptTokens' | 'completionTokens'> & { usage?: Usage };

export const useOf = (
  { price }: Candidate,
  { outcome, usage, promptTokens, completionTokens }: Reported,
): CredentialUse => ({
  failed: outcome === 'failure',
  tokens: promptTokens + completionTokens,
  spent: costOf(price, usage ?? { promptTokens, completionTokens }),
});
