import { table } from '../../../lib/table.ts';
import { efforts, type Json, type Params, type ResponseFormat, type Sourced } from '../conversation.ts';
import { readModel } from '../model-names.ts';
import {
  invalid,
  maxInteger,
  missing,
  onlyGiven,
  optionalBoolean,
  optionalEnum,
  optionalInteger,
  optionalNumber,
  optionalString,
  readArray,
  readObject,
  readString,
  requiredString,
  unsupported,
  weigh,
} from '../read.ts';
import type { WebSearch } from '../search.ts';
import { readOpenaiTool, withoutSearchTool } from '../web-search.ts';
import { toolsIn } from './added-tools.ts';
import { configured } from './configuration.ts';
import { echoOf } from './echo.ts';
import { ItemReader, itemsOf } from './items.ts';
import type { Seals } from './thoughts.ts';
import { type ReadTools, readToolChoice, readTools } from './tools.ts';

/** Parses the body of `POST /v1/responses`; `before` are the items it builds on, `seals` its caller's. */
export function parseResponsesRequest(value: unknown, before: Json[] = [], seals?: Seals): Sourced {
  const body = readObject(value, 'body');
  const bytes = weigh(body) + weigh(before);
  const model = readModel(body);
  refuseMoved(body);
  const items = itemsOf(body.input);
  if (body.input == null && before.length === 0) throw missing('input');
  if (items.length + before.length === 0) throw invalid('input', `'input' must contain at least one item.`);
  const tools = readTools(body.tools, [...toolsIn(before, 'before'), ...toolsIn(items, 'input')]);
  const reader = new ItemReader(tools.table, seals);
  const instructions = optionalString(body, 'instructions');
  if (instructions) reader.system.push({ type: 'text', text: instructions });
  for (const [i, item] of before.entries()) reader.read(item, `before[${i}]`);
  for (const [i, item] of items.entries()) reader.read(item, `input[${i}]`);
  reader.end();
  return {
    model,
    system: reader.system,
    turns: reader.turns,
    params: readParams(configured(body, [...before, ...items]), tools),
    stream: optionalBoolean(body, 'stream') ?? false,
    includeUsage: true,
    echo: { members: echoOf(body), tools: tools.table.named, ...(seals && { seals }) },
    source: { format: 'responses', body: before.length === 0 ? body : { ...body, input: [...before, ...items] } },
    bytes,
  };
}

/** Names in a Responses body of chat fields. */
const moved = table<string>({
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  functions: 'tools',
  function_call: 'tool_choice',
});

function refuseMoved(body: Json): void {
  for (const name in moved)
    if (body[name] != null)
      throw unsupported(name, `Unsupported parameter: '${name}'. In the Responses API it is '${moved[name]}'.`);
}

const includable = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

function readInclude(value: unknown): string[] {
  if (value == null) return [];
  return readArray(value, 'include').map((item, i) => {
    const name = readString(item, `include[${i}]`);
    if (includable.includes(name)) return name;
    throw invalid(`include[${i}]`, `'include[${i}]' must be one of: ${includable.join(', ')}.`);
  });
}

function readParams(body: Json, tools: ReadTools): Params {
  checkOthers(body);
  const text = body.text == null ? {} : readObject(body.text, 'text');
  const include = readInclude(body.include);
  const topLogprobs = optionalInteger(body, 'top_logprobs', 0, 20);
  const logprobs = include.includes('message.output_text.logprobs') || (topLogprobs ?? 0) > 0;
  const all: Params = {
    maxTokens: optionalInteger(body, 'max_output_tokens', 1, maxInteger),
    temperature: optionalNumber(body, 'temperature', 0, 2),
    topP: optionalNumber(body, 'top_p', 0, 1),
    topK: optionalInteger(body, 'top_k', -1, maxInteger),
    stop: readStop(body.stop),
    ...readToolChoice(body.tool_choice, tools),
    ...withoutSearchTool(tools.rawTools, (tool, at) => withMost(readOpenaiTool(tool, at), body)),
    parallelToolCalls: optionalBoolean(body, 'parallel_tool_calls'),
    responseFormat: readFormat(text.format),
    seed: optionalInteger(body, 'seed', -maxInteger, maxInteger),
    frequencyPenalty: optionalNumber(body, 'frequency_penalty', -2, 2),
    presencePenalty: optionalNumber(body, 'presence_penalty', -2, 2),
    logprobs: logprobs || undefined,
    topLogprobs: logprobs ? topLogprobs : undefined,
    reasoning: readReasoning(body.reasoning),
    user: optionalString(body, 'safety_identifier') ?? optionalString(body, 'user'),
    hints: readHints(body, text),
  };
  return onlyGiven(all);
}

/** A limit on all vendor-run tools is one on searches, too. */
const withMost = (search: WebSearch | undefined, { max_tool_calls: most }: Json): WebSearch | undefined =>
  search && typeof most === 'number' ? { ...search, maxUses: most } : search;

/** Validated only to report errors. */
function checkOthers(body: Json): void {
  optionalEnum(body, 'truncation', ['auto', 'disabled']);
  optionalBoolean(body, 'store');
  optionalInteger(body, 'max_tool_calls', 1, maxInteger);
  if (body.stream_options != null) {
    const options = readObject(body.stream_options, 'stream_options');
    optionalBoolean(options, 'include_obfuscation', 'stream_options');
  }
  if (body.metadata == null) return;
  const metadata = readObject(body.metadata, 'metadata');
  if (Object.keys(metadata).length > mostMetadata)
    throw invalid('metadata', `'metadata' may have at most ${mostMetadata} members.`);
  for (const name in metadata) readString(metadata[name], `metadata.${name}`);
}

/** OpenAI's limit. */
const mostMetadata = 16;

function readStop(value: unknown): string[] | undefined {
  if (value == null) return undefined;
  if (typeof value === 'string') return [value];
  return readArray(value, 'stop').map((item, i) => readString(item, `stop[${i}]`));
}

function readReasoning(value: unknown): Params['reasoning'] {
  if (value == null) return undefined;
  const reasoning = readObject(value, 'reasoning');
  optionalEnum(reasoning, 'summary', ['auto', 'concise', 'detailed', 'none'], 'reasoning');
  const effort = optionalEnum(reasoning, 'effort', efforts, 'reasoning');
  return effort === undefined ? undefined : { effort };
}

function readFormat(value: unknown): ResponseFormat | undefined {
  if (value == null) return undefined;
  const at = 'text.format';
  const format = readObject(value, at);
  switch (requiredString(format, 'type', at)) {
    case 'text':
      return undefined;
    case 'json_object':
      return { type: 'json_object' };
    case 'json_schema': {
      const strict = optionalBoolean(format, 'strict', at);
      const description = optionalString(format, 'description', at);
      if (format.schema == null) throw missing(`${at}.schema`);
      return {
        type: 'json_schema',
        name: requiredString(format, 'name', at),
        schema: readObject(format.schema, `${at}.schema`),
        ...(strict !== undefined && { strict }),
        ...(description !== undefined && { description }),
      };
    }
    default:
      throw invalid(`${at}.type`, `'${at}.type' must be text, json_object or json_schema.`);
  }
}

function readHints(body: Json, text: Json): Json | undefined {
  const hints = onlyGiven<Json>({
    verbosity: optionalEnum(text, 'verbosity', ['low', 'medium', 'high'], 'text'),
    service_tier: optionalString(body, 'service_tier'),
    prompt_cache_key: optionalString(body, 'prompt_cache_key'),
    prompt_cache_options: body.prompt_cache_options ?? undefined,
    prompt_cache_retention: optionalString(body, 'prompt_cache_retention'),
  });
  return Object.keys(hints).length === 0 ? undefined : hints;
}
