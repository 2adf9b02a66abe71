import type { ProviderKind } from './providers/kind.ts';
import type { Answer, Conversation, Delta, Part, Turn } from './wire/conversation.ts';
import { hashedName } from './wire/responses/tool-table.ts';

interface Fitting {
  kind: ProviderKind;
  conversation: Conversation;
}

/** Names that nearly every vendor accepts. */
const usual = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Renames tools whose names a vendor does not accept, and wraps the kind so that answers carry the client's names
 * again. Anthropic allows names twice as long as OpenAI's (MCP tools often need that), and Google's may contain dots. A
 * body that is forwarded unchanged keeps its names.
 */
export function withFittingNames(kind: ProviderKind, conversation: Conversation): Fitting {
  if (conversation.source?.format === kind.wire) return { kind, conversation };
  const fits = kind.toolNames ?? usual;
  const fitting = new Map<string, string>();
  for (const name of namesIn(conversation)) if (!fits.test(name)) fitting.set(name, hashedName({ name }));
  if (fitting.size === 0) return { kind, conversation };
  return { kind: readingBack(kind, fitting), conversation: renamed(conversation, fitting) };
}

function* namesIn({ params: { tools = [] }, turns }: Conversation): Generator<string> {
  for (const { name } of tools) yield name;
  // Earlier turns may refer to tools that are no longer offered.
  for (const { parts } of turns) for (const part of parts) if (part.type === 'tool_call') yield part.name;
}

function renamed(conversation: Conversation, names: ReadonlyMap<string, string>): Conversation {
  const sent = (name: string): string => names.get(name) ?? name;
  const partOf = (part: Part): Part => {
    if (part.type === 'tool_call') return { ...part, name: sent(part.name) };
    return part.type === 'tool_result' && part.name !== undefined ? { ...part, name: sent(part.name) } : part;
  };
  const turnOf = (turn: Turn): Turn => ({ ...turn, parts: turn.parts.map(partOf) });
  const { tools, toolChoice } = conversation.params;
  return {
    ...conversation,
    turns: conversation.turns.map(turnOf),
    params: {
      ...conversation.params,
      ...(tools && { tools: tools.map((tool) => ({ ...tool, name: sent(tool.name) })) }),
      ...(toolChoice?.type === 'tool' && { toolChoice: { ...toolChoice, name: sent(toolChoice.name) } }),
    },
  };
}

function readingBack(kind: ProviderKind, fitting: ReadonlyMap<string, string>): ProviderKind {
  const names = new Map([...fitting].map(([name, sent]) => [sent, name]));
  const given = (name: string): string => names.get(name) ?? name;
  const partOf = (part: Part): Part => (part.type === 'tool_call' ? { ...part, name: given(part.name) } : part);
  const deltaOf = (delta: Delta): Delta =>
    delta.type === 'tool_start' ? { ...delta, name: given(delta.name) } : delta;
  return {
    ...kind,
    fromUpstream: (json): Answer => {
      const answer = kind.fromUpstream(json);
      return { ...answer, parts: answer.parts.map(partOf) };
    },
    decoder: () => {
      const decode = kind.decoder();
      return (json) => decode(json).map(deltaOf);
    },
  };
}
