import { objectsIn } from '../../../lib/is-object.ts';
import type { Conversation, Effort, Json, Reasoning } from '../../wire/conversation.ts';
import { buildMessagesRequest } from '../anthropic/request.ts';
import { effortOf } from '../kind/efforts.ts';
import { refuseForeignTools } from '../kind/foreign-tools.ts';
import { refuseUnsupportedParts } from '../kind/unsupported-parts.ts';
import { limitWithin, type Target, type UpstreamRequest } from '../kind.ts';
import { blockWriter, isCarried } from './converse-blocks.ts';
import { toolConfigOf } from './converse-tools.ts';
import { askModel } from './request.ts';

/** Built as a Messages body first: Converse has the same turns and blocks under other names. */
export function toConverse(conversation: Conversation, target: Target): UpstreamRequest {
  refuseForeignTools(conversation);
  refuseUnsupportedParts(conversation, isCarried);
  const { reasoning, ...params } = conversation.params;
  const { messages, system, tools, tool_choice } = buildMessagesRequest({ ...conversation, params }, target);
  const write = blockWriter(target.modelName);
  const turns = objectsIn(messages).map(({ role, content }) => ({ role, content: write.content(objectsIn(content)) }));
  const { toolConfig, words } = toolConfigOf(objectsIn(tools), tool_choice, turns);
  const instructions = [...objectsIn(system).flatMap(write.system), ...words.map((text) => ({ text }))];
  const more = reasoningFields(target.modelName, reasoning);
  return askModel(target, conversation.stream ? 'converse-stream' : 'converse', {
    messages: turns,
    ...(instructions.length > 0 && { system: instructions }),
    inferenceConfig: inferenceConfig(conversation, target),
    ...(toolConfig && { toolConfig }),
    ...(more && { additionalModelRequestFields: more }),
  });
}

/** Documented drops: top_k, penalties, seed and logprobs have no counterpart. */
function inferenceConfig({ params }: Conversation, target: Target): Json {
  const stop = params.stop?.filter((text) => text !== '') ?? [];
  return {
    maxTokens: limitWithin(params, target),
    // The range is 0–1 instead of 0–2.
    temperature: params.temperature === undefined ? undefined : Math.min(params.temperature, 1),
    topP: params.topP,
    ...(stop.length > 0 && { stopSequences: stop }),
  };
}

/** At the highest effort Nova accepts no output limit, so its cost would be unbounded. */
const novaEfforts: Partial<Record<Effort, string>> = { minimal: 'low', low: 'low' };
const gptOssEfforts: Partial<Record<Effort, string>> = { minimal: 'low', low: 'low', medium: 'medium' };

/** Models with configurable reasoning, each with its own parameters. */
const thinkers: [RegExp, (effort: Effort) => Json][] = [
  [
    /amazon\.nova-2/,
    (effort) => ({ reasoningConfig: { type: 'enabled', maxReasoningEffort: novaEfforts[effort] ?? 'medium' } }),
  ],
  [/openai\.gpt-oss/, (effort) => ({ reasoning_effort: gptOssEfforts[effort] ?? 'high' })],
];

function reasoningFields(modelName: string, reasoning: Reasoning | undefined): Json | undefined {
  if (reasoning === undefined || reasoning.effort === 'none') return undefined;
  return thinkers.find(([names]) => names.test(modelName))?.[1](reasoning.effort ?? effortOf(reasoning.budgetTokens));
}
