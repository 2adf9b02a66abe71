import type { ByteSource } from '../../../lib/byte-source.ts';
import { without } from '../../../lib/is-object.ts';
import { type Conversation, isObject, type Json } from '../../wire/conversation.ts';
import { messagesBodyOf } from '../anthropic/request.ts';
import { type Betas, betasKnown, toReseller } from '../anthropic/reseller.ts';
import { searchUnsupported } from '../kind/foreign-tools.ts';
import { jsonInWords } from '../kind/json-in-words.ts';
import type { Target, UpstreamRequest } from '../kind.ts';
import { objectOf, textOf } from './fields.ts';
import { BrokenFrame } from './frames.ts';
import { FramedSource, type FrameTranslator } from './received.ts';
import { askModel } from './request.ts';

const version = 'bedrock-2023-05-31';

/** Betas that Bedrock supports, and for which models. */
const betas: Betas = {
  'compact-2026-01-12': /claude/,
  'computer-use-2025-01-24': /claude/,
  'computer-use-2025-11-24': /claude/,
  'context-1m-2025-08-07': /claude-(opus|sonnet)-4/,
  'context-management-2025-06-27': /claude/,
  'effort-2025-11-24': /claude/,
  'fine-grained-tool-streaming-2025-05-14': /claude/,
  'interleaved-thinking-2025-05-14': /claude-(opus|sonnet)-4/,
  'tool-examples-2025-10-29': /claude/,
  'tool-search-tool-2025-10-19': /claude/,
};

/** Models for which Bedrock supports schemas for output and tool arguments; it refuses them for others. */
const holdsToSchemas = /claude-(opus|sonnet|haiku)-4-[56]/;

/** Describes the schema in words instead. */
function withSchemasInWords(body: Json): Json {
  const { output_config: config, tools, system } = body;
  const { format, ...others } = objectOf(config);
  const out: Json = { ...body };
  if (Array.isArray(tools)) out.tools = tools.map((tool) => (isObject(tool) ? without(tool, 'strict') : tool));
  if (!isObject(format) || !isObject(format.schema)) return out;
  const words = { type: 'text', text: jsonInWords({ type: 'json_schema', name: 'answer', schema: format.schema }) };
  const before = typeof system === 'string' ? [{ type: 'text', text: system }] : Array.isArray(system) ? system : [];
  out.system = [...before, words];
  out.output_config = others;
  return Object.keys(others).length > 0 ? out : without(out, 'output_config');
}

/** Anthropic's body, with path and header values moved to where Bedrock expects them. */
export function toClaude(conversation: Conversation, target: Target): UpstreamRequest {
  const { webSearch } = conversation.params;
  if (webSearch) throw searchUnsupported(webSearch);
  // Anthropic's service tiers do not exist here and would be refused.
  const {
    model: _model,
    stream: _stream,
    service_tier: _tier,
    ...body
  } = toReseller(messagesBodyOf(conversation, target));
  const taken = holdsToSchemas.test(target.modelName) ? body : withSchemasInWords(body);
  const named = betasKnown(betas, target);
  const act = conversation.stream ? 'invoke-with-response-stream' : 'invoke';
  return askModel(target, act, {
    ...taken,
    anthropic_version: version,
    ...(named.length > 0 && { anthropic_beta: named }),
  });
}

/** Its events are Messages events in frames. */
const unpack: FrameTranslator = {
  frame(type, payloadText) {
    if (type !== 'chunk') return [];
    const packed = textOf(objectOf(JSON.parse(payloadText)).bytes);
    // Bedrock's own metrics, which duplicate the message's usage.
    const { 'amazon-bedrock-invocationMetrics': _, ...event } = eventIn(packed);
    return [event];
  },
};

function eventIn(packed: string): Json {
  const event = objectOf(JSON.parse(Buffer.from(packed, 'base64').toString()));
  if (typeof event.type !== 'string') throw new BrokenFrame('an event without a type');
  return event;
}

export const claudeReceived = (body: ByteSource, stream: boolean): ByteSource =>
  stream ? new FramedSource(body, unpack) : body;
