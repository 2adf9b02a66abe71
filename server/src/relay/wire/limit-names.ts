/**
 * Names, beyond the formats' own, under which some servers accept an output limit. They are read if the format has
 * several limits, and never forwarded: only the single limit is, under the vendor's name.
 */
export const otherLimitNames: readonly string[] = [
  'max_output_tokens',
  'max_new_tokens',
  'max_tokens_to_sample',
  'max_gen_len',
  'max_gen_toks',
  'maxOutputTokens',
  'n_predict',
  'num_predict',
];

export const limitNames: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens', ...otherLimitNames]);

/** The longest thoughts of a Qwen model, which no limit of the output covers; its own has the name `thinking_budget`. */
export const mostThoughtsBeside = 81_920;

/** Tokens that a vendor bills as output beyond the limit. */
export interface OutputBeside {
  /** In addition to all answers. */
  outputBeside?: number;
  /** Thoughts, in addition to each answer. */
  thoughtsBeside?: number;
}
