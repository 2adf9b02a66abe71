import { isObject, type Json, type WireFormat } from '../../wire/conversation.ts';
import { limitNames } from '../../wire/limit-names.ts';
import { unsupported } from '../../wire/read.ts';
import { withoutSearch } from '../../wire/web-search.ts';
import type { Target } from '../kind.ts';

/** Whether a parameter with this value leaves the price per token unchanged. */
type Harmless = (value: unknown) => boolean;

const isOff: Harmless = (value) =>
  value == null || value === false || (Array.isArray(value) && value.length === 0) || value === 'off';
const isOneAtMost: Harmless = (value) => value == null || (typeof value === 'number' && value <= 1);
const isOneOf =
  (...values: string[]): Harmless =>
  (value) =>
    value == null || values.includes(value as string);
const hasNoLimit: Harmless = (value) => !isObject(value) || !Object.keys(value).some((name) => limitNames.has(name));

const isLike = (pattern: RegExp, value: unknown): boolean => typeof value === 'string' && pattern.test(value);

/** Client-run tools, which cost only their tokens. Unknown ones are assumed to be vendor-run. */
const clientTools: Record<Exclude<WireFormat, 'gemini'>, RegExp> = {
  chat: /^(function|custom)$/,
  responses: /^(function|custom|namespace|computer|computer_use_preview|local_shell|apply_patch|tool_search)$/,
  messages:
    /^(custom|(bash|text_editor|memory|computer|(computer|browser)_toolset|tool_search_tool_(regex|bm25))(_\d+)?)$/,
};

const areClientTools =
  (format: keyof typeof clientTools): Harmless =>
  (tools) =>
    !Array.isArray(tools) ||
    tools.every(
      (tool) => isObject(tool) && (tool.type == null || isLike(clientTools[format], tool.type) || isOwnShell(tool)),
    );

/** Of items of any type, since those newer than this service may bring tools, too. */
const bringsClientTools: Harmless = (input) =>
  !Array.isArray(input) || input.every((item) => !isObject(item) || areClientTools('responses')(item.tools));

/** OpenAI's shell tool on the client's machine; in a container it is billed by the hour. */
const isOwnShell = ({ type, environment }: Json): boolean =>
  type === 'shell' && isObject(environment) && environment.type === 'local';

/** Functions and computer use run at the client; all other Google tools are vendor-run. */
const areGoogleClientTools: Harmless = (tools) =>
  !Array.isArray(tools) ||
  tools.every(
    (tool) => isObject(tool) && Object.keys(tool).every((key) => /^(functionDeclarations|computerUse)$/.test(key)),
  );

/** Context edits are free, except for summaries, which are generated. */
const hasNoSummary: Harmless = (value) =>
  !isObject(value) ||
  !Array.isArray(value.edits) ||
  value.edits.every((edit) => isObject(edit) && isLike(/^clear_/, edit.type));

/** A container by id alone is free: nothing runs in it without its tool. */
const hasNoSkills: Harmless = (value) => !isObject(value) || isOff(value.skills);

/** Speed, region and priority at other rates. */
const rates: [string, Harmless][] = [
  ['service_tier', isOneOf('auto', 'default', 'standard', 'standard_only', 'on_demand')],
  ['serviceTier', isOneOf('auto', 'default', 'standard')],
  ['speed', isOneOf('standard')],
  ['inference_geo', isOneOf('global')],
];

/**
 * Searches and other vendor-run tools, and what is stored there: OpenAI and Perplexity, xAI, OpenRouter, Qwen, Groq;
 * Anthropic.
 */
const serverTools: Record<WireFormat, [string, Harmless][]> = {
  chat: [
    ['web_search_options', isOff],
    ['search_parameters', (value) => isOff(value) || (isObject(value) && value.mode === 'off')],
    ['plugins', isOff],
    ['web_search', isOff],
    ['enable_search', isOff],
    ['search_options', isOff],
    ['enable_code_interpreter', isOff],
    ['compound_custom', isOff],
    ['mcp_servers', isOff],
    ['moderation', isOff],
    // A prompt, a model and parameters that are kept at OpenRouter.
    ['preset', isOff],
  ],
  // Container contents; a summary instead of an answer.
  messages: [
    ['mcp_servers', isOff],
    ['container', hasNoSkills],
    ['compaction', isOff],
  ],
  // OpenAI's stored prompts, moderation and summaries.
  responses: [
    ['prompt', isOff],
    ['moderation', isOff],
    ['context_management', isOff],
    ['web_search_options', isOff],
    ['plugins', isOff],
    ['mcp_servers', isOff],
  ],
  // They are tools there.
  gemini: [],
};

/** The first of these that a body asks for, except for the known search. */
export const serverToolIn = (format: WireFormat, body: Json, known?: string): string | undefined =>
  serverTools[format].find(([name, isHarmless]) => name !== known && !isHarmless(body[name]))?.[0];

/**
 * What vendors bill in addition to tokens, at other rates, or more than once. Parameters not listed do not affect the
 * price as far as known.
 */
const tables: Record<WireFormat, ReadonlyMap<string, Harmless>> = {
  chat: new Map<string, Harmless>([
    ...rates,
    ['tools', areClientTools('chat')],
    ...serverTools.chat,
    // Another model than the priced one: OpenRouter, LiteLLM.
    ['models', isOff],
    ['fallbacks', isOff],
    // More or longer answers than shown.
    ['best_of', isOneAtMost],
    ['num_return_sequences', isOneAtMost],
    ['candidate_count', isOneAtMost],
    ['beam_width', isOneAtMost],
    ['use_beam_search', isOff],
    ['options', hasNoLimit],
    ['generationConfig', hasNoLimit],
    ['generation_config', hasNoLimit],
  ]),
  responses: new Map<string, Harmless>([
    ...rates,
    ['tools', areClientTools('responses')],
    ['input', bringsClientTools],
    ...serverTools.responses,
  ]),
  messages: new Map<string, Harmless>([
    ...rates,
    ['tools', areClientTools('messages')],
    ...serverTools.messages,
    ['container', isOff],
    // Other models than the priced one.
    ['fallbacks', isOff],
    ['context_management', hasNoSummary],
  ]),
  gemini: new Map<string, Harmless>([...rates, ['tools', areGoogleClientTools]]),
};

/** All members that these look at. */
export const pricedNames: ReadonlySet<string> = new Set(Object.values(tables).flatMap((table) => [...table.keys()]));

/**
 * Refuses what the vendor would bill to us and nobody would pay for; checks the body sent upstream. `searches`:
 * searches have a price.
 */
export function refuseBeyondTokens(
  format: WireFormat,
  sent: Json,
  { searches = false }: Pick<Target, 'searches'> = {},
): void {
  const body = searches ? withoutSearch(format, sent) : sent;
  const table = tables[format];
  for (const name in body) {
    const isHarmless = table.get(name);
    if (isHarmless && !isHarmless(body[name])) throw beyond(name);
  }
  const { extra_body: extra } = body;
  if (!isObject(extra)) return;
  if (!hasNoLimit(extra)) throw beyond('extra_body');
  refuseBeyondTokens(format, extra);
}

const beyond = (name: string) =>
  unsupported(name, `'${name}' requests a feature that is not billed per token, and this model has no price for it.`);
