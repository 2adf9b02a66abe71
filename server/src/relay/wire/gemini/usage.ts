import type { Usage } from '../../../lib/money.ts';
import { isObject, type Json } from '../conversation.ts';
import { onlyGiven } from '../read.ts';
import { tokens, uncached, usageOf } from '../usage.ts';

/** Token count of one modality. */
function ofModality(list: unknown, modality: string): number {
  const found = Array.isArray(list) ? list.find((item) => isObject(item) && item.modality === modality) : undefined;
  return tokens(found?.tokenCount) ?? 0;
}

/** Thoughts count as output; cached tokens and tool input are part of the prompt. */
export function readGeminiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const count = (name: string): number => tokens(value[name]) ?? 0;
  const prompt = (modality: string): number =>
    uncached(
      ofModality(value.promptTokensDetails, modality) + ofModality(value.toolUsePromptTokensDetails, modality),
      ofModality(value.cacheTokensDetails, modality),
    );
  const reasoning = count('thoughtsTokenCount');
  const promptTokens = count('promptTokenCount') + count('toolUsePromptTokenCount');
  return usageOf(promptTokens, count('candidatesTokenCount') + reasoning, {
    cacheRead: count('cachedContentTokenCount'),
    reasoning,
    audioIn: prompt('AUDIO'),
    imageIn: prompt('IMAGE'),
    audioOut: ofModality(value.candidatesTokensDetails, 'AUDIO'),
  });
}

/** As `usageMetadata`, which counts thoughts apart from the output. */
export function renderGeminiUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, reasoningTokens = 0 } = usage;
  return onlyGiven({
    promptTokenCount: promptTokens,
    candidatesTokenCount: Math.max(0, completionTokens - reasoningTokens),
    totalTokenCount: promptTokens + completionTokens,
    cachedContentTokenCount: usage.cacheReadTokens,
    thoughtsTokenCount: usage.reasoningTokens,
    promptTokensDetails: details({ AUDIO: usage.audioInTokens, IMAGE: usage.imageInTokens }),
    candidatesTokensDetails: details({ AUDIO: usage.audioOutTokens }),
  });
}

function details(counts: Record<string, number | undefined>): Json[] | undefined {
  const given = Object.entries(counts).filter(([, tokenCount]) => tokenCount !== undefined);
  return given.length === 0 ? undefined : given.map(([modality, tokenCount]) => ({ modality, tokenCount }));
}
