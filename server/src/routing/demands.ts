import type { Candidate } from './candidate.ts';
import type { Override } from './override.ts';

/** The built-in provider answers within this process. */
const isBuiltIn = ({ channel }: Candidate): boolean => channel.kind === 'demo';

const retainsNothing = (candidate: Candidate): boolean => isBuiltIn(candidate) || candidate.capabilities.zdr === true;

const collectsNothing = (candidate: Candidate): boolean =>
  retainsNothing(candidate) || candidate.capabilities.data_collection === 'deny';

/** What a caller demanded that a candidate is not known to have. */
export type Missed = 'may_keep_data' | 'other_quantization' | 'no_distillation';

/**
 * The demand that excludes a candidate, if one does. Only the operator can know, and says so in the `capabilities` of
 * its model. If nothing is said, the answer is no: a prompt that was sent cannot be taken back.
 */
export function missedDemand(candidate: Candidate, override: Override): Missed | null {
  const { capabilities } = candidate;
  const { data_collection, zdr, quantizations, enforce_distillable_text } = override;
  if (zdr && !retainsNothing(candidate)) return 'may_keep_data';
  if (data_collection === 'deny' && !collectsNothing(candidate)) return 'may_keep_data';
  if (quantizations && !quantizations.includes(String(capabilities.quantization ?? 'unknown')))
    return 'other_quantization';
  return enforce_distillable_text && capabilities.distillable_text !== true ? 'no_distillation' : null;
}
