import type { ProviderKind } from './providers/kind.ts';
import type { Answer, Conversation, Delta, Part, Turn } from './wire/conversation.ts';
import { hashedName } from './wire/responses/tool-table.ts';

interface Fitting {
  kind: ProviderKind;
  conversation: Conversation;
}

/** What nearly every vendor takes. */
const usual = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * A conversation whose tools have names that a kind of upstream takes, and that kind as it reads answers with the names of the client:
 * Anthropic's may be twice as long as OpenAI's, as those of connected servers often are, and Google's may have dots. A request
 * that goes on as it came keeps its own.
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
  // Of tools that are gone by now, too.
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
