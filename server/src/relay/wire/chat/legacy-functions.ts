import { isObject, type Json } from '../conversation.ts';
import { invalid, optionalString, readArray, readObject, requiredString } from '../read.ts';

/**
 * The function calling API before tools: `functions`, `function_call`, and messages of role `function`. Few vendors
 * still support it, so it is converted to tools, and answers are converted back.
 */
export const asksForFunctions = (body: Json): boolean =>
  Array.isArray(body.functions) && body.functions.length > 0 && body.tools == null;

/** The body with tools; unchanged if it has nothing legacy. */
export function withTools(body: Json): Json {
  const old = Array.isArray(body.messages) && body.messages.some(isOld);
  if (body.functions == null && body.function_call == null && !old) return body;
  const { functions, function_call: choice, ...rest } = body;
  const messages = old ? toolMessages(body.messages as unknown[]) : undefined;
  const tools = functions == null ? [] : readArray(functions, 'functions').map(toolOf);
  return {
    ...rest,
    ...(messages && { messages }),
    ...(tools.length > 0 && body.tools == null && { tools }),
    ...(choice != null && body.tool_choice == null && { tool_choice: choiceOf(choice) }),
  };
}

function toolOf(value: unknown, i: number): Json {
  const at = `functions[${i}]`;
  const fn = readObject(value, at);
  requiredString(fn, 'name', at);
  optionalString(fn, 'description', at);
  if (fn.parameters != null) readObject(fn.parameters, `${at}.parameters`);
  return { type: 'function', function: fn };
}

function choiceOf(choice: unknown): unknown {
  if (choice === 'auto' || choice === 'none') return choice;
  if (!isObject(choice)) throw invalid('function_call', `'function_call' must be auto, none or an object.`);
  return { type: 'function', function: { name: requiredString(choice, 'name', 'function_call') } };
}

const isOld = (message: unknown): boolean =>
  isObject(message) && (message.role === 'function' || message.function_call != null);

/** Nine letters and digits, as the strictest vendor requires. */
const idOf = (number: number): string => `call${`${number}`.padStart(5, '0')}`;

/** Legacy calls have no ids: a result belongs to the last unanswered call of its name. */
function toolMessages(messages: unknown[]): unknown[] {
  const out: unknown[] = [];
  const waiting: { id: string; name: string }[] = [];
  let calls = 0;
  const callOf = (name: string, args: unknown): Json => {
    calls += 1;
    waiting.push({ id: idOf(calls), name });
    return { id: idOf(calls), type: 'function', function: { name, arguments: args } };
  };
  messages.forEach((message, i) => {
    if (!isObject(message) || !isOld(message)) {
      out.push(message);
      return;
    }
    const at = `messages[${i}]`;
    if (message.role !== 'function') {
      const { function_call, ...rest } = message;
      const call = readObject(function_call, `${at}.function_call`);
      const name = requiredString(call, 'name', `${at}.function_call`);
      const args = optionalString(call, 'arguments', `${at}.function_call`) ?? '';
      out.push({ ...rest, tool_calls: [callOf(name, args)] });
      return;
    }
    const name = requiredString(message, 'name', at);
    // A result without its call, because the client truncated the history: other vendors refuse those.
    if (!waiting.some((call) => call.name === name))
      out.push({ role: 'assistant', content: null, tool_calls: [callOf(name, '{}')] });
    const place = waiting.findLastIndex((call) => call.name === name);
    const [call] = waiting.splice(place, 1);
    out.push({ role: 'tool', tool_call_id: call!.id, content: message.content ?? '' });
  });
  return out;
}

export const oldFinish = (reason: unknown): unknown => (reason === 'tool_calls' ? 'function_call' : reason);

/** A choice of a whole answer in the legacy form, which has room for one call. */
export function withFunctionCall(choice: unknown): unknown {
  if (!isObject(choice) || !isObject(choice.message)) return choice;
  const { tool_calls: calls, ...message } = choice.message;
  const first = Array.isArray(calls) ? calls.find(isObject) : undefined;
  if (!first) return choice;
  return {
    ...choice,
    message: { ...message, function_call: first.function },
    finish_reason: oldFinish(choice.finish_reason),
  };
}

/** Converts the parsed chunks of one stream in the same way. */
export function functionCallChunks(): (json: Json) => Json {
  /** Index of the first call, by choice. */
  const first = new Map<unknown, unknown>();
  return (json) => {
    if (!Array.isArray(json.choices)) return json;
    for (const choice of json.choices.filter(isObject)) {
      choice.finish_reason = oldFinish(choice.finish_reason);
      const { delta } = choice;
      if (!isObject(delta) || !Array.isArray(delta.tool_calls)) continue;
      for (const call of delta.tool_calls.filter(isObject)) {
        if (!first.has(choice.index)) first.set(choice.index, call.index);
        if (first.get(choice.index) === call.index) delta.function_call = call.function;
      }
      delete delta.tool_calls;
    }
    return json;
  };
}
