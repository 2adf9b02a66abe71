import { table } from '../../lib/table.ts';
import { anthropicKind } from './anthropic.ts';
import { bedrockKind } from './bedrock.ts';
import { geminiKind } from './gemini.ts';
import type { ProviderKind } from './kind.ts';
import { openaiKind } from './openai.ts';
import { vertexKind } from './vertex.ts';

/** Kinds reached over HTTP, by the channel's `kind`. A new one is one file and one line here. */
export const providerKinds = table<ProviderKind>({
  openai: openaiKind,
  openrouter: openaiKind,
  anthropic: anthropicKind,
  gemini: geminiKind,
  vertex: vertexKind,
  bedrock: bedrockKind,
});
