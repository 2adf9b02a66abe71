import { trimEndOf } from '../../../lib/trim-end.ts';
import type { Conversation, Effort, Json, Params, Reasoning } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';
import { writeGoogleTool } from '../../wire/web-search.ts';
import { effortOf, nearestEffort } from '../kind/efforts.ts';
import { refuseForeignTools } from '../kind/foreign-tools.ts';
import { jsonInWords } from '../kind/json-in-words.ts';
import {
  type AcceptsPart,
  acceptsAllBut,
  refuseLogprobs,
  refuseUnsupportedParts,
  stopsFor,
} from '../kind/unsupported-parts.ts';
import { jsonHeaders, limitWithin, type Target, type UpstreamRequest } from '../kind.ts';
import { buildContents } from './content.ts';
import { parametersOf } from './parameters.ts';
import { rewriteGeminiRequest } from './rewrite.ts';
import { toGeminiSchema } from './schema.ts';

/** The base URL may or may not contain the version segment. */
export function geminiUrl(target: Target, path: string): string {
  const base = trimEndOf(target.baseUrl, '/');
  return /\/v\d\w*$/.test(base) ? base + path : `${base}/v1beta${path}`;
}

export const geminiHeaders = (target: Target): Record<string, string> => ({
  ...jsonHeaders,
  'x-goog-api-key': target.credential,
});

export const modelPath = (target: Target): string => {
  const name = target.modelName.replace(/^models\//, '');
  return `/models/${encodeURIComponent(name)}`;
};

export function toGemini(conversation: Conversation, target: Target): UpstreamRequest {
  const method = conversation.stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
  return {
    url: geminiUrl(target, modelPath(target) + method),
    method: 'POST',
    headers: { ...geminiHeaders(target), ...(conversation.stream && { accept: 'text/event-stream' }) },
    body: JSON.stringify(geminiRequestOf(conversation, target)),
  };
}

/** The original body if it has this format, else converted. */
export const geminiRequestOf = (conversation: Conversation, target: Target): Json =>
  conversation.source?.format === 'gemini'
    ? rewriteGeminiRequest(conversation.source.body, conversation, target)
    : buildGeminiRequest(conversation, target);

/** Google's own files have URLs, which clients of other formats send as ids. */
const carried: AcceptsPart = (part) =>
  (part.type === 'file' && 'fileId' in part.source && /^(https?:|gs:|files\/)/.test(part.source.fileId)) ||
  carriesAll(part);
const carriesAll = acceptsAllBut('gemini');

/**
 * Beside functions it searches only if all of its search parts are returned with the next request, which other formats
 * cannot carry; models before 3 never do, nor with a response schema.
 */
export const searchesAsGemini = ({ params: { webSearch: search, tools, responseFormat } }: Conversation): boolean =>
  tools === undefined && responseFormat === undefined && !search?.allowedDomains && !search?.keptOnly;

export function buildGeminiRequest(conversation: Conversation, target: Target): Json {
  const { params, system } = conversation;
  refuseForeignTools(conversation, { searches: searchesAsGemini(conversation) });
  refuseUnsupportedParts(conversation, carried);
  refuseLogprobs(conversation);
  if ((params.n ?? 1) > 1) throw unsupported('n', `'n' above 1 is not supported by this model.`);
  const told = system.map(({ text }) => text).filter((text) => text !== '');
  const instructions = formatInWords(params, target.modelName) ? [...told, jsonInWords(params.responseFormat!)] : told;
  return {
    contents: buildContents(conversation, target.modelName),
    ...(instructions.length > 0 && { systemInstruction: { parts: instructions.map((text) => ({ text })) } }),
    ...buildTools(params),
    generationConfig: generationConfig(conversation, target),
  };
}

/** More are refused. */
const mostStops = 5;

function generationConfig(conversation: Conversation, target: Target): Json {
  const { params } = conversation;
  const config: Json = {
    maxOutputTokens: limitWithin(params, target),
    temperature: params.temperature,
    topP: params.topP,
    topK: params.topK === -1 ? undefined : params.topK,
    stopSequences: stopsFor(conversation, { most: mostStops, blank: true }),
    seed: params.seed === undefined ? undefined : params.seed | 0,
    frequencyPenalty: params.frequencyPenalty,
    presencePenalty: params.presencePenalty,
    ...responseFormat(params, target.modelName),
    thinkingConfig: thinkingConfig(params, target),
  };
  for (const key of Object.keys(config)) if (config[key] === undefined) delete config[key];
  return config;
}

/** Models before 3 refuse a response format together with tools; it is described in words. */
const formatInWords = ({ responseFormat: format, tools }: Params, modelName: string): boolean =>
  format !== undefined && tools !== undefined && !/gemini-([3-9]|\d\d)/.test(modelName);

/** `response_format` under Google's names. */
function responseFormat(params: Params, modelName: string): Json {
  const { responseFormat: format } = params;
  if (format === undefined || formatInWords(params, modelName)) return {};
  if (format.type === 'json_object') return { responseMimeType: 'application/json' };
  return { responseMimeType: 'application/json', responseSchema: toGeminiSchema(format.schema) };
}

const budgets: Record<Effort, number> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** Models before 2.5 do not reason and refuse the setting; 3 and later accept a level where 2.5 accepts a budget. */
function thinkingConfig(params: Params, target: Target): Json | undefined {
  const { reasoning } = params;
  const { modelName } = target;
  if (reasoning === undefined || !/gemini-(2\.5|[3-9])/.test(modelName)) return undefined;
  const thoughts = reasoning.effort !== 'none';
  if (/gemini-[3-9]/.test(modelName)) return { includeThoughts: thoughts, ...thinkingLevel(modelName, reasoning) };
  if (reasoning.adaptive && reasoning.effort === undefined) return { includeThoughts: true, thinkingBudget: -1 };
  const isPro = /pro/.test(modelName);
  const wanted = reasoning.budgetTokens ?? budgetOf(reasoning.effort ?? 'medium', limitWithin(params, target));
  // Some always reason, and refuse a budget of zero.
  const thinkingBudget = Math.min(wanted, isPro ? mostOfPro : mostBudget) || (isPro ? leastOfPro : 0);
  return { includeThoughts: thoughts, thinkingBudget };
}

/** Supported levels, ascending; the first match wins. */
const levels: [RegExp, readonly Effort[]][] = [
  [/flash/, ['minimal', 'low', 'medium', 'high']],
  [/gemini-3-pro/, ['low', 'high']],
  [/./, ['low', 'medium', 'high']],
];

/** Without a setting the model decides. */
function thinkingLevel(modelName: string, { effort, budgetTokens }: Reasoning): Json {
  if (effort === undefined && budgetTokens === undefined) return {};
  const [, taken] = levels.find(([names]) => names.test(modelName))!;
  return { thinkingLevel: nearestEffort(taken, effort ?? effortOf(budgetTokens)) };
}

const leastOfPro = 128;
/** No model refuses budgets in this range. */
const leastBudget = 512;
const mostBudget = 24_576;
const mostOfPro = 32_768;

/** An effort as a budget. Thoughts are part of the limit; a fifth is reserved for the answer. */
function budgetOf(effort: Effort, limit = Number.POSITIVE_INFINITY): number {
  const wanted = budgets[effort];
  return Math.min(wanted, Math.max(leastBudget, Math.floor(limit * 0.8)));
}

function buildTools({ tools, toolChoice, webSearch }: Params): Json {
  if (tools === undefined) return webSearch ? { tools: [writeGoogleTool(webSearch)] } : {};
  const functionDeclarations = tools.map((tool) => {
    const parameters = parametersOf(tool.parameters);
    return {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(parameters && { parameters }),
    };
  });
  const config =
    toolChoice?.type === 'tool'
      ? { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
      : toolChoice && { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[toolChoice.type] };
  return { tools: [{ functionDeclarations }], ...(config && { toolConfig: { functionCallingConfig: config } }) };
}
