import { vendorOf } from '../../../lib/vendors/find-vendor.ts';
import { withMessages } from '../../wire/completions/answer.ts';
import { isObject, type Json } from '../../wire/conversation.ts';
import { refuseBeyondTokens } from '../kind/beyond-tokens.ts';
import { jsonHeaders, outputLimit, type ProviderKind } from '../kind.ts';
import { fromOpenai } from './answer.ts';
import { openaiHeaders, openaiUrl } from './request.ts';
import { rewriteChatRequest } from './rewrite.ts';

/** The legacy completions endpoint: the request is forwarded as it is. */
export const openaiCompletions: Pick<ProviderKind, 'toUpstream' | 'fromUpstream'> = {
  toUpstream(conversation, target) {
    const { stream, params, completion } = conversation;
    const vendor = vendorOf(target.provider, target.baseUrl);
    const { modelName } = target;
    const limit = outputLimit(params, target);
    const { max_completion_tokens, ...sent } = rewriteChatRequest(
      { ...completion!.body, stream },
      { modelName, vendor, stream, limit },
    );
    // The hold covers only `n` completions.
    const { best_of: _, ...billed } = sent;
    if (target.paid) refuseBeyondTokens('chat', billed as Json);
    const body = { ...sent, ...(limit !== undefined && { max_tokens: limit }) };
    const headers = { ...jsonHeaders, ...openaiHeaders(target), ...(stream && { accept: 'text/event-stream' }) };
    return { url: openaiUrl(target, '/completions'), method: 'POST', headers, body: JSON.stringify(body) };
  },
  fromUpstream: (json) => fromOpenai(isObject(json) && json.error == null ? withMessages(json) : json),
};
