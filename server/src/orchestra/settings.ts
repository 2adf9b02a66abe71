import type { SvcMs, Verbosity } from './params.ts';
import type { Preferences } from './preferences.ts';

/** The settings of one turn: from the request, else the user's preferences, else the defaults. */
export interface Settings
  extends Omit<SvcMs, 'verbosity' | 'max_context_tokens' | 'extract_knowledge' | 'use_vector_search'> {
  verbosity: Verbosity;
  use_vector_search: boolean;
  /**
   * Whether this turn may embed texts at all: if the request or the preference disables it, no embedding is charged.
   */
  mayEmbed: boolean;
  /** Whether texts are embedded after the turn, for later searches. */
  embedsAfter: boolean;
  /** Whether a summary is made when it is due. */
  summarises: boolean;
  maxContextTokens: number;
  extractKnowledge: boolean;
  preferences: Preferences;
}

export function resolveSettings(request: SvcMs, preferences: Preferences): Settings {
  const { verbosity, max_context_tokens, extract_knowledge, use_vector_search, ...rest } = request;
  const { remember } = request;
  const mayEmbed = use_vector_search ?? preferences.enable_embedding;
  return {
    ...rest,
    verbosity: verbosity ?? preferences.default_verbosity,
    maxContextTokens: max_context_tokens ?? preferences.max_context_tokens,
    use_vector_search: use_vector_search ?? false,
    mayEmbed,
    embedsAfter: remember && mayEmbed,
    summarises: remember && preferences.auto_summarize,
    extractKnowledge: remember && (extract_knowledge ?? preferences.enable_knowledge_extraction),
    preferences,
  };
}
