import { table } from '../../../lib/table.ts';
import {
  type Effort,
  isObject,
  type Json,
  type Params,
  type Reasoning,
  type ResponseFormat,
  type Tool,
  type ToolChoice,
} from '../conversation.ts';
import {
  invalid,
  maxInteger,
  onlyGiven,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalString,
  readArray,
  readObject,
  readString,
  requiredString,
} from '../read.ts';
import { readGoogleTool, withoutSearchTool } from '../web-search.ts';
import { fromGeminiSchema } from './schema.ts';

const at = 'generationConfig';

/** Expects a body with documented names. */
export function readGeminiParams(body: Json): Params {
  const config = body.generationConfig == null ? {} : readObject(body.generationConfig, at);
  const { tools, rawTools, webSearch } = readTools(body.tools);
  const all: Params = {
    maxTokens: optionalInteger(config, 'maxOutputTokens', 1, maxInteger, at),
    temperature: optionalNumber(config, 'temperature', 0, 2, at),
    topP: optionalNumber(config, 'topP', 0, 1, at),
    topK: optionalInteger(config, 'topK', 0, maxInteger, at) || undefined,
    stop: readStop(config.stopSequences),
    seed: optionalInteger(config, 'seed', -maxInteger, maxInteger, at),
    frequencyPenalty: optionalNumber(config, 'frequencyPenalty', -2, 2, at),
    presencePenalty: optionalNumber(config, 'presencePenalty', -2, 2, at),
    n: optionalInteger(config, 'candidateCount', 1, 8, at),
    logprobs: optionalBoolean(config, 'responseLogprobs', at),
    topLogprobs: optionalInteger(config, 'logprobs', 0, 20, at),
    responseFormat: readFormat(config),
    reasoning: readReasoning(config),
    ...readChoice(body.toolConfig, tools),
    rawTools,
    webSearch,
  };
  return onlyGiven(all);
}

export const showsThoughts = ({ generationConfig: config }: Json): boolean =>
  isObject(config) && isObject(config.thinkingConfig) && config.thinkingConfig.includeThoughts === true;

function readStop(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const param = `${at}.stopSequences`;
  return readArray(value, param).map((item, i) => readString(item, `${param}[${i}]`));
}

function readFormat(config: Json): ResponseFormat | undefined {
  const type = optionalString(config, 'responseMimeType', at);
  const schema = schemaOf(config, 'responseSchema', 'responseJsonSchema', at);
  if (schema !== undefined && type !== 'text/x.enum') return { type: 'json_schema', name: 'answer', schema };
  return type === 'application/json' ? { type: 'json_object' } : undefined;
}

/** A schema in Google's own subset, or as JSON Schema. */
function schemaOf(holder: Json, own: string, usual: string, parent: string): Json | undefined {
  if (holder[usual] != null) return readObject(holder[usual], `${parent}.${usual}`);
  return holder[own] == null ? undefined : fromGeminiSchema(readObject(holder[own], `${parent}.${own}`));
}

const levels = table<Effort>({ minimal: 'minimal', low: 'low', medium: 'medium', high: 'high' });

function readReasoning(config: Json): Reasoning | undefined {
  if (config.thinkingConfig == null) return undefined;
  const param = `${at}.thinkingConfig`;
  const thinking = readObject(config.thinkingConfig, param);
  const effort = levels[optionalString(thinking, 'thinkingLevel', param)?.toLowerCase() ?? ''];
  const budget = optionalInteger(thinking, 'thinkingBudget', -1, maxInteger, param);
  if (effort !== undefined) return { effort };
  if (budget === 0) return { effort: 'none' };
  if (budget !== undefined && budget > 0) return { budgetTokens: budget };
  // A budget of -1, or thoughts requested without a budget.
  return budget === -1 || thinking.includeThoughts === true ? { adaptive: true } : undefined;
}

function readTools(value: unknown): Pick<Params, 'tools' | 'rawTools' | 'webSearch'> {
  if (value === undefined || value === null) return {};
  const tools: Tool[] = [];
  const rawTools: Json[] = [];
  readArray(value, 'tools').forEach((item, i) => {
    const { functionDeclarations, ...others } = readObject(item, `tools[${i}]`);
    for (const name in others) if (others[name] != null) rawTools.push({ type: name, [name]: others[name] });
    if (functionDeclarations == null) return;
    const param = `tools[${i}].functionDeclarations`;
    readArray(functionDeclarations, param).forEach((declared, j) => {
      tools.push(readTool(readObject(declared, `${param}[${j}]`), `${param}[${j}]`));
    });
  });
  return { ...(tools.length > 0 && { tools }), ...withoutSearchTool(rawTools, readGoogleTool) };
}

function readTool(declared: Json, param: string): Tool {
  const description = optionalString(declared, 'description', param);
  const parameters = schemaOf(declared, 'parameters', 'parametersJsonSchema', param);
  return {
    name: requiredString(declared, 'name', param),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
  };
}

/** Only the allowed functions are offered, which is how other formats express it. */
function readChoice(value: unknown, tools: Tool[] | undefined): Pick<Params, 'tools' | 'toolChoice'> {
  const config = isObject(value) && isObject(value.functionCallingConfig) ? value.functionCallingConfig : {};
  const param = 'toolConfig.functionCallingConfig';
  const mode = optionalString(config, 'mode', param)?.toUpperCase() ?? 'MODE_UNSPECIFIED';
  const names =
    config.allowedFunctionNames == null ? [] : readArray(config.allowedFunctionNames, `${param}.allowedFunctionNames`);
  const toolChoice = choiceOf(mode, names, param);
  const allowed = new Set(names);
  const offered = allowed.size === 0 || mode === 'NONE' ? tools : tools?.filter(({ name }) => allowed.has(name));
  return { ...(offered && { tools: offered }), ...(tools && toolChoice && { toolChoice }) };
}

function choiceOf(mode: string, names: unknown[], param: string): ToolChoice | undefined {
  switch (mode) {
    case 'MODE_UNSPECIFIED':
      return undefined;
    case 'AUTO':
    case 'VALIDATED':
      return { type: 'auto' };
    case 'NONE':
      return { type: 'none' };
    case 'ANY':
      return typeof names[0] === 'string' && names.length === 1
        ? { type: 'tool', name: names[0] }
        : { type: 'required' };
    default:
      throw invalid(`${param}.mode`, `'${param}.mode' must be AUTO, ANY, NONE or VALIDATED.`);
  }
}
