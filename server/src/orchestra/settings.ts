import type { SvcMs, Verbosity } from './params.ts';
import type { Preferences } from './preferences.ts';

/** Everything one turn is run by: the request, else the user's preference, else the default. */
export interface Settings extends Omit<SvcMs, 'verbosity' | 'max_context_tokens' | 'extract_knowledge'> {
  verbosity: Verbosity;
  maxContextTokens: number;
  extractKnowledge: boolean;
  preferences: Preferences;
}

export function settle(request: SvcMs, preferences: Preferences): Settings {
  const { verbosity, max_context_tokens, extract_knowledge, ...rest } = request;
  return {
    ...rest,
    verbosity: verbosity ?? preferences.default_verbosity,
    maxContextTokens: max_context_tokens ?? preferences.max_context_tokens,
    extractKnowledge: extract_knowledge ?? preferences.enable_knowledge_extraction,
    preferences,
  };
}
