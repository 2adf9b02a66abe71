import { type Conversation, failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { anthropicDecoder, fromAnthropic } from './anthropic/answer.ts';
import { readableFiles } from './anthropic/files.ts';
import {
  anthropicHeaders,
  anthropicUrl,
  buildMessagesRequest,
  isVendors,
  rewriteMessagesRequest,
  searchesAsClaude,
  toAnthropic,
} from './anthropic/request.ts';
import { readUpstreamError } from './kind/errors.ts';
import type { ModelEntry, ProviderKind, Target } from './kind.ts';

/** Members of a messages body that `count_tokens` accepts. */
const counted = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'mcp_servers'];

/** The `count_tokens` body: the request without members that do not affect its tokens. */
export function countedBody(conversation: Conversation, target: Target): Json {
  const { source } = conversation;
  const whole =
    source?.format === 'messages'
      ? rewriteMessagesRequest(source.body, target.modelName)
      : buildMessagesRequest(readableFiles(conversation), target);
  return Object.fromEntries(counted.filter((key) => whole[key] !== undefined).map((key) => [key, whole[key]]));
}

/** Anthropic's Messages API and compatible servers. */
export const anthropicKind: ProviderKind = {
  name: 'anthropic',
  wire: 'messages',
  toolNames: /^[a-zA-Z0-9_-]{1,128}$/,
  searches: (conversation, target) => (target.knownToSearch || isVendors(target)) && searchesAsClaude(conversation),
  toUpstream: toAnthropic,
  fromUpstream: fromAnthropic,
  decoder: anthropicDecoder,
  errorOf: readUpstreamError,
  countTokens: {
    toUpstream: (conversation, target) => ({
      url: anthropicUrl(target, '/messages/count_tokens'),
      method: 'POST',
      headers: anthropicHeaders(target),
      body: JSON.stringify(countedBody(conversation, target)),
    }),
    fromUpstream(json) {
      if (isObject(json) && typeof json.input_tokens === 'number') return json.input_tokens;
      throw new UpstreamFault(failure('the upstream returned no token count'));
    },
  },
  models: {
    toUpstream: (target) => ({
      url: anthropicUrl(target, '/models?limit=1000'),
      method: 'GET',
      headers: anthropicHeaders(target),
    }),
    fromUpstream(json) {
      if (!isObject(json) || !Array.isArray(json.data))
        throw new UpstreamFault(failure('the upstream listed no models'));
      return json.data.flatMap((item): ModelEntry[] => {
        if (!isObject(item) || typeof item.id !== 'string') return [];
        return [{ id: item.id, ...(typeof item.display_name === 'string' && { name: item.display_name }) }];
      });
    },
  },
};
