import { isObject, type Json } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';
import { maxTokensField, type Vendor } from '../vendors.ts';

/** Parameters of this service; they never leave it (fidelity 19). */
const ours = ['svc_ms', 'provider'];

/**
 * A chat body for an upstream of the same format: what the client sent, unknown parameters included, with only what
 * must change for this vendor. The given body is not touched, as the next candidate may need it.
 */
export function rewriteChatRequest(body: Json, options: { modelName: string; vendor: Vendor; stream: boolean }): Json {
  const { vendor, modelName } = options;
  const out: Json = { ...body, model: modelName };
  for (const field of ours) delete out[field];
  limitOutput(out, maxTokensField(vendor, modelName));
  dropEmptyTools(out);
  dropLacking(out, vendor);
  if (options.stream) {
    if (vendor.asksStreamUsage) {
      out.stream_options = { ...(isObject(body.stream_options) ? body.stream_options : {}), include_usage: true };
    } else delete out.stream_options;
  } else delete out.stream_options;
  if (Array.isArray(body.messages)) out.messages = rewriteMessages(body.messages, vendor);
  return out;
}

function limitOutput(out: Json, field: Vendor['maxTokensField']): void {
  const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (out[field] == null && out[other] != null) out[field] = out[other];
  delete out[other];
}

/** Empty `tools`, and a choice among none, are refused by most vendors (fidelity 28). */
function dropEmptyTools(out: Json): void {
  if (Array.isArray(out.tools) && out.tools.length > 0) return;
  delete out.tools;
  delete out.tool_choice;
  delete out.parallel_tool_calls;
}

function dropLacking(out: Json, vendor: Vendor): void {
  for (const field of vendor.lacks) {
    if (field === 'n' && typeof out.n === 'number' && out.n > 1) {
      throw unsupported('n', `'n' above 1 is not supported by ${vendor.name}.`);
    }
    if (field === 'tools' && out.tools !== undefined) {
      throw unsupported('tools', `Tools are not supported by ${vendor.name}.`);
    }
    delete out[field];
  }
}

function rewriteMessages(messages: unknown[], vendor: Vendor): unknown[] {
  const rewritten = messages.map((message) => (isObject(message) ? rewriteMessage(message, vendor) : message));
  return vendor.mergesSystem ? mergeSystem(rewritten) : rewritten;
}

const thinkingFields = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'];

/** Leaves out thinking of other vendors (fidelity 6) and nulls where absence is meant; most messages pass as they are. */
function rewriteMessage(message: Json, vendor: Vendor): Json {
  let out = message;
  const change = (): Json => {
    if (out === message) out = { ...message };
    return out;
  };
  if (message.role === 'developer' && !vendor.knowsDeveloperRole) change().role = 'system';
  const back: readonly string[] = vendor.reasoningBack;
  for (const field of thinkingFields) {
    if (field in message && !back.includes(field)) delete change()[field];
  }
  if (message.tool_calls === null || (Array.isArray(message.tool_calls) && message.tool_calls.length === 0)) {
    delete change().tool_calls;
  }
  if (Array.isArray(message.tool_calls) && !back.includes('extra_content')) {
    if (message.tool_calls.some((call) => isObject(call) && 'extra_content' in call)) {
      change().tool_calls = message.tool_calls.map((call) => {
        const { extra_content: _, ...rest } = isObject(call) ? call : {};
        return rest;
      });
    }
  }
  return out;
}

/** Several system messages become one at the front (fidelity 24). */
function mergeSystem(messages: unknown[]): unknown[] {
  const isSystem = (message: unknown): message is Json => isObject(message) && message.role === 'system';
  const texts = messages.filter(isSystem).map((message) => textOf(message.content));
  if (texts.length === 0) return messages;
  return [{ role: 'system', content: texts.join('\n\n') }, ...messages.filter((message) => !isSystem(message))];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n\n');
}
