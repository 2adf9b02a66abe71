import { randomString } from '../../../../lib/ids.ts';
import { contentStems, entities } from '../text.ts';
import { type ChatRequest, type ChatTool, freshToolResults, lastUserText } from './request.ts';
import { resolve, type Schema, typeOf } from './schema.ts';
import { synthesise } from './synthesise.ts';

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** `get_current_weather` and `getCurrentWeather` both mention weather. */
const nameWords = (name: string): string[] =>
  contentStems(name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' '));
const emptyVerbs = new Set(['get', 'fetch', 'set', 'run', 'call', 'current', 'tool', 'function', 'do', 'mak', 'find']);

function fitness({ function: tool }: ChatTool, text: string): number {
  const said = new Set(contentStems(text));
  const inName = nameWords(tool.name).filter((word) => said.has(word) && !emptyVerbs.has(word)).length;
  const inDescription = new Set(
    contentStems(tool.description ?? '').filter((word) => said.has(word) && !emptyVerbs.has(word)),
  );
  return 2 * inName + inDescription.size;
}

/** A tool is called unprompted only if one significant word of its name, or two of its description, are in the text. */
const threshold = 2;

/** Calls to make instead of an answer; empty if text is due. */
export function chooseToolCalls(request: ChatRequest): ToolCall[] {
  const tools = request.tools ?? [];
  const choice = request.tool_choice ?? 'auto';
  if (tools.length === 0 || choice === 'none') return [];
  const text = lastUserText(request.messages);
  if (typeof choice === 'object')
    return callsOf(tools.filter((tool) => tool.function.name === choice.function.name).slice(0, 1), text, false);
  if (choice === 'auto' && freshToolResults(request.messages).length > 0) return [];
  const ranked = tools.map((tool) => ({ tool, score: fitness(tool, text) })).sort((a, b) => b.score - a.score);
  const fitting = ranked.filter((one) => one.score >= threshold).map((one) => one.tool);
  if (fitting.length === 0) return choice === 'required' ? callsOf([ranked[0]!.tool], text, false) : [];
  const parallel = request.parallel_tool_calls !== false;
  return callsOf(parallel ? fitting : fitting.slice(0, 1), text, parallel);
}

const callsOf = (tools: ChatTool[], text: string, parallel: boolean): ToolCall[] =>
  tools.flatMap(({ function: tool }) => {
    const schema = (tool.parameters ?? { type: 'object', properties: {} }) as Schema;
    const names = parallel ? spreadOver(schema, text) : [];
    const argumentSets =
      names.length > 1 ? names.map((name) => argumentsFor(schema, text, name)) : [argumentsFor(schema, text)];
    return argumentSets.map(
      (values): ToolCall => ({
        // Random, unlike the rest: a result is matched to its call by this id alone.
        id: `call_${randomString(24)}`,
        type: 'function',
        function: { name: tool.name, arguments: JSON.stringify(values) },
      }),
    );
  });

/** "weather in Paris and Rome" with one required place means two calls. */
function spreadOver(schema: Schema, text: string): string[] {
  const required = schema.required ?? [];
  const only = required.length === 1 ? resolve(schema.properties?.[required[0]!] ?? {}, schema) : null;
  if (!only || typeOf(only) !== 'string' || only.enum || only.format) return [];
  if (/^(?:query|q|question|prompt|input|text|expression)$/i.test(required[0]!)) return [];
  return entities(text).slice(0, 8);
}

function argumentsFor(schema: Schema, text: string, name?: string): unknown {
  const values = synthesise(schema, { text, answer: text, requiredOnly: true });
  if (name === undefined || values === null || typeof values !== 'object') return values;
  return { ...values, [schema.required![0]!]: name };
}
