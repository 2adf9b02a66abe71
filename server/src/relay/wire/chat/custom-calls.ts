import { isObject, type Json } from '../conversation.ts';
import { argumentsOf, customFunction, inputOf } from '../custom-tools.ts';

/**
 * Chat tools with free-text input are specific to OpenAI's newest models. Other vendors get a function with one string
 * argument, and its calls are converted back. A stream sends the text when the call is complete.
 */
const isCustom = (value: unknown): value is Json & { custom: Json } =>
  isObject(value) && value.type === 'custom' && isObject(value.custom);

export const hasCustom = (list: unknown): list is unknown[] => Array.isArray(list) && list.some(isCustom);

/** For `tools`, which have been validated. */
export const functionTool = (tool: unknown): unknown =>
  isCustom(tool)
    ? { type: 'function', function: { name: tool.custom.name, ...customFunction(tool.custom, 'tools') } }
    : tool;

/** For `tool_choice`, including its allowed tools. */
export function functionChoice(choice: unknown): unknown {
  if (isCustom(choice)) return { type: 'function', function: choice.custom };
  if (!isObject(choice) || !isObject(choice.allowed_tools) || !hasCustom(choice.allowed_tools.tools)) return choice;
  const { allowed_tools: allowed } = choice;
  return { ...choice, allowed_tools: { ...allowed, tools: choice.allowed_tools.tools.map(functionChoice) } };
}

/** For the calls of a message. */
export const functionCall = (call: unknown): unknown =>
  isCustom(call)
    ? {
        ...{ id: call.id, type: 'function' },
        function: { name: call.custom.name, arguments: argumentsOf(String(call.custom.input ?? '')) },
      }
    : call;

/** A call in the form the client expects. */
export function asAskedFor(call: unknown, custom: ReadonlySet<string>): unknown {
  if (!isObject(call) || !isObject(call.function) || !custom.has(String(call.function.name))) return call;
  const { function: called, ...rest } = call;
  const input = inputOf(String(called.arguments ?? ''));
  return { ...rest, type: 'custom', custom: { name: called.name, input } };
}

/** For a choice of a whole answer. */
export function withCustomCalls(choice: unknown, custom: ReadonlySet<string>): unknown {
  if (!isObject(choice) || !isObject(choice.message) || !Array.isArray(choice.message.tool_calls)) return choice;
  const calls = choice.message.tool_calls.map((call) => asAskedFor(call, custom));
  return { ...choice, message: { ...choice.message, tool_calls: calls } };
}

/** The chunks that start and end such a call in a stream. */
export const customStart = (index: unknown, id: unknown, name: unknown): Json => ({
  ...{ index, id, type: 'custom' },
  custom: { name, input: '' },
});
export const customInput = (index: unknown, args: string): Json => ({ index, custom: { input: inputOf(args) } });

/** Converts the parsed chunks of one stream in the same way. */
export function customCallChunks(custom: ReadonlySet<string>): (json: Json) => Json {
  /** Arguments received so far, by choice and index. */
  const open = new Map<unknown, Map<unknown, string>>();

  function pieceOf(calls: Map<unknown, string>, piece: unknown): unknown[] {
    if (!isObject(piece) || !isObject(piece.function)) return [piece];
    const { name, arguments: more } = piece.function;
    const begins = typeof name === 'string' && custom.has(name) && !calls.has(piece.index);
    const before = begins ? '' : calls.get(piece.index);
    if (before === undefined) return [piece];
    calls.set(piece.index, before + (typeof more === 'string' ? more : ''));
    return begins ? [customStart(piece.index, piece.id, name)] : [];
  }

  return (json) => {
    if (!Array.isArray(json.choices)) return json;
    for (const choice of json.choices.filter(isObject)) {
      const calls = open.get(choice.index) ?? new Map<unknown, string>();
      open.set(choice.index, calls);
      const { delta } = choice;
      if (!isObject(delta)) continue;
      const pieces = Array.isArray(delta.tool_calls) ? delta.tool_calls.flatMap((piece) => pieceOf(calls, piece)) : [];
      if (choice.finish_reason != null) {
        pieces.push(...[...calls].map(([index, args]) => customInput(index, args)));
        calls.clear();
      }
      if (pieces.length > 0) delta.tool_calls = pieces;
      else delete delta.tool_calls;
    }
    return json;
  };
}
