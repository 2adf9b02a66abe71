/**
 * Names besides the formats' own under which some server takes a limit for its output. They are read, where the format of
 * the request has several limits, and never travel on: only the one limit does, under the vendor's name for it.
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
