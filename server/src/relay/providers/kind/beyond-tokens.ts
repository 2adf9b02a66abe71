import { isObject, type Json, type WireFormat } from '../../wire/conversation.ts';
import { limitNames } from '../../wire/limit-names.ts';
import { unsupported } from '../../wire/read.ts';
import { bringsTools } from '../../wire/responses/brought-tools.ts';
import { withoutSearch } from '../../wire/web-search.ts';
import type { Target } from '../kind.ts';

/** Whether a parameter with this value leaves the price by the token as it is. */
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

/** Tools that the client runs, so that they cost their words alone. Whatever is new is taken for one the vendor runs. */
const clientTools: Record<Exclude<WireFormat, 'gemini'>, RegExp> = {
  chat: /^(function|custom)$/,
  responses: /^(function|custom|namespace|computer|computer_use_preview|local_shell|apply_patch|tool_search)$/,
  messages: /^(custom|(bash|text_editor|computer|memory|tool_search_tool_(regex|bm25))(_\d+)?)$/,
};

const areClientTools =
  (format: keyof typeof clientTools): Harmless =>
  (tools) =>
    !Array.isArray(tools) ||
    tools.every(
      (tool) => isObject(tool) && (tool.type == null || isLike(clientTools[format], tool.type) || isOwnShell(tool)),
    );

const bringsClientTools: Harmless = (input) =>
  !Array.isArray(input) ||
  input.every((item) => !isObject(item) || !bringsTools(item) || areClientTools('responses')(item.tools));

/** A shell of OpenAI's that commands the client's machine; in a container of its own it is billed by the hour. */
const isOwnShell = ({ type, environment }: Json): boolean =>
  type === 'shell' && isObject(environment) && environment.type === 'local';

/** Functions are the client's, and so is the screen that a model uses; all else in a tool of Google's it runs itself. */
const areGoogleClientTools: Harmless = (tools) =>
  !Array.isArray(tools) ||
  tools.every(
    (tool) => isObject(tool) && Object.keys(tool).every((key) => /^(functionDeclarations|computerUse)$/.test(key)),
  );

/** Edits of the context cost nothing, but for a summary, which is an answer of its own. */
const hasNoSummary: Harmless = (value) =>
  !isObject(value) ||
  !Array.isArray(value.edits) ||
  value.edits.every((edit) => isObject(edit) && isLike(/^clear_/, edit.type));

/** A sandbox by its name alone is one to go on in, and nothing goes on without the tool that runs there. */
const hasNoSkills: Harmless = (value) => !isObject(value) || isOff(value.skills);

/** Speed, place and precedence at other rates. */
const rates: [string, Harmless][] = [
  ['service_tier', isOneOf('auto', 'default', 'standard', 'standard_only', 'on_demand')],
  ['serviceTier', isOneOf('auto', 'default', 'standard')],
  ['speed', isOneOf('standard')],
  ['inference_geo', isOneOf('global')],
];

/** Searches and other tools that a vendor runs: OpenAI and Perplexity, xAI, OpenRouter, Qwen, Groq; Anthropic. */
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
  ],
  // What its sandbox is to know; a request for a summary in place of an answer.
  messages: [
    ['mcp_servers', isOff],
    ['container', hasNoSkills],
    ['compaction', isOff],
  ],
  // A prompt, a judge or a summary of OpenAI's own.
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

/** The first of these that a body asks for, but for the one that is known otherwise. */
export const serverToolIn = (format: WireFormat, body: Json, known?: string): string | undefined =>
  serverTools[format].find(([name, isHarmless]) => name !== known && !isHarmless(body[name]))?.[0];

/**
 * What vendors bill beside the tokens of a request, at other rates, or more often than once. A parameter that is not here
 * changes nothing of the price as far as we know.
 */
const tables: Record<WireFormat, ReadonlyMap<string, Harmless>> = {
  chat: new Map<string, Harmless>([
    ...rates,
    ['tools', areClientTools('chat')],
    ...serverTools.chat,
    // Another model than the one that has the price: OpenRouter, LiteLLM.
    ['models', isOff],
    ['fallbacks', isOff],
    ['preset', isOff],
    // More answers than are shown, or longer ones.
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
    // Other models than the one that has the price.
    ['fallbacks', isOff],
    ['context_management', hasNoSummary],
  ]),
  gemini: new Map<string, Harmless>([...rates, ['tools', areGoogleClientTools]]),
};

/** Refuses what would be billed to us and to nobody else; looks at a body as it goes upstream. `searches`: those have a price. */
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
  unsupported(
    name,
    `'${name}' asks for something that is not billed by the token, and this model has no price for it.`,
  );
