import { costOf, type Usage } from '../lib/money.ts';
import type { Candidate } from './candidate.ts';
import type { CredentialUse, Expected } from './credential-meter.ts';
import type { Sample } from './window.ts';

/** Upper bound on what a request can use with a candidate. */
export interface Expectation {
  most(candidate: Candidate): Usage;
}

/** In the worst case every byte of a text is a token; usually four bytes are. */
const bytesPerToken = 4;
/** Few answers are longer, whatever their limit. */
const usualOutputTokens = 4_096;

/** A typical value instead of the maximum: with the maximum, a few requests would exhaust a limit. */
export function expectedOf({ price }: Candidate, most: Usage): Expected {
  const promptTokens = Math.ceil(most.promptTokens / bytesPerToken);
  const completionTokens = Math.min(most.completionTokens, usualOutputTokens);
  const spent = costOf(price, { ...most, promptTokens, completionTokens });
  return { tokens: promptTokens + completionTokens, spent };
}

type Reported = Pick<Sample, 'outcome' | 'promptTokens' | 'completionTokens'> & { usage?: Usage };

export const useOf = (
  { price }: Pick<Candidate, 'price'>,
  { outcome, usage, promptTokens, completionTokens }: Reported,
): CredentialUse => ({
  failed: outcome === 'failure',
  tokens: promptTokens + completionTokens,
  spent: costOf(price, usage ?? { promptTokens, completionTokens }),
});
