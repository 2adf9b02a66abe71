import { isRawNumber, parseExactly } from '../../../lib/exact-json.ts';
import { isHeavy } from '../../../lib/json-shape.ts';
import {
  type Conversation,
  isObject,
  type Json,
  type Part,
  type ToolResultPart,
  type Turn,
} from '../../wire/conversation.ts';
import { writeMedia } from '../../wire/gemini/media.ts';
import { PartWriter } from '../../wire/gemini/part-writer.ts';
import { distinctCalls } from '../kind/distinct-calls.ts';
import { placeholderText } from '../kind/placeholder-text.ts';

/** Gemini 3 accepts this instead of a signature on other vendors' calls; without one they are refused. */
const foreignCallSignature = 'skip_thought_signature_validator';

/** The turns as `contents`; adjacent ones of a role are merged. */
export function buildContents(conversation: Conversation, modelName: string): Json[] {
  const turns = distinctCalls(conversation.turns);
  const calls = callsIn(turns);
  const readable = !isHeavy(resultsIn(turns));
  const contents: { role: string; parts: Json[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'model' : 'user';
    const parts =
      role === 'model'
        ? modelParts(turn.parts, modelName)
        : inOrderOfCalls(turn.parts, calls).flatMap((part) => userPart(part, calls, readable));
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  const placeholder = { role: 'user', parts: [{ text: placeholderText }] };
  // Without an empty last message, the answer before it would be one to continue.
  if (contents.at(-1)?.role === 'model' && turns.at(-1)?.role === 'user') contents.push(placeholder);
  // Other formats allow conversations that start with the assistant, or have only instructions; here the user must
  // start.
  if (contents[0]?.role !== 'user') contents.unshift(placeholder);
  return contents;
}

type Calls = ReadonlyMap<string, { name: string; place: number }>;

function callsIn(turns: readonly Turn[]): Calls {
  const calls = new Map<string, { name: string; place: number }>();
  for (const { parts } of turns)
    for (const part of parts) if (part.type === 'tool_call') calls.set(part.id, { name: part.name, place: calls.size });
  return calls;
}

/** Results are matched by name, and within a name by order; other formats only give the id. */
function inOrderOfCalls(parts: Part[], calls: Calls): Part[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  if (results.length < 2) return parts;
  const placeOf = ({ callId }: ToolResultPart): number => calls.get(callId)?.place ?? 0;
  const ordered = results.toSorted((one, other) => placeOf(one) - placeOf(other)).values();
  return parts.map((part) => (part.type === 'tool_result' ? ordered.next().value! : part));
}

/** Placeholder signature, for models that require one on the first call of each turn. */
export const unsignedCall = (modelName: string): string | undefined =>
  /gemini-([3-9]|\d\d)/.test(modelName) ? foreignCallSignature : undefined;

function modelParts(parts: Part[], modelName: string): Json[] {
  const writer = new PartWriter({ unsigned: unsignedCall(modelName) });
  return parts.flatMap((part) => writer.write(part) ?? (part.type === 'image' ? writeMedia(part) : null) ?? []);
}

function userPart(part: Part, calls: Calls, readable: boolean): Json[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
  if (part.type !== 'tool_result') return writeMedia(part) ?? [];
  return [
    resultPart(part, calls, readable),
    ...part.content.filter((item) => item.type !== 'text').flatMap((item) => writeMedia(item) ?? []),
  ];
}

const textOf = (part: ToolResultPart): string =>
  part.content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');

const resultsIn = (turns: readonly Turn[]): string[] =>
  turns.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool_result' ? [textOf(part)] : [])));

/** Results that would take long to parse stay text. */
function resultPart(part: ToolResultPart, calls: Calls, readable: boolean): Json {
  const text = textOf(part);
  const name = part.name ?? calls.get(part.callId)?.name ?? part.callId;
  const response = part.isError ? { error: text } : readable ? asObject(text) : { result: text };
  return { functionResponse: { name, response } };
}

/** The response must be an object. */
function asObject(text: string): Json {
  try {
    const value = parseExactly(text);
    return isObject(value) && !isRawNumber(value) ? value : { result: value };
  } catch {
    return { result: text };
  }
}
