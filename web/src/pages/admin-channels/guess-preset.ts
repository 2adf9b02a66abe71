/** Vendors begin their keys differently; the longest beginnings stand first. */
const beginnings: [string, string][] = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['sk-svcacct-', 'openai'],
  ['AIza', 'gemini'],
  ['gsk_', 'groq'],
  ['xai-', 'xai'],
  ['pplx-', 'perplexity'],
  ['csk-', 'cerebras'],
  ['fw_', 'fireworks'],
  ['jina_', 'jina'],
  ['tgp_', 'together'],
];

/** Whose key this is, judged by how it begins; null when several vendors write keys like it. */
export const guessPreset = (key: string): string | null =>
  beginnings.find(([beginning]) => key.trim().startsWith(beginning))?.[1] ?? null;
