import { isObject } from '../../lib/is-object.ts';
import type { Json, Params, WireFormat } from './conversation.ts';
import {
  maxInteger,
  onlyGiven,
  optionalEnum,
  optionalInteger,
  optionalString,
  readArray,
  readObject,
  readString,
} from './read.ts';
import { addsTools } from './responses/added-tools.ts';
import type { Place, WebSearch } from './search.ts';

const sizes = ['low', 'medium', 'high'] as const;

/** Parses a tool or setting; undefined if it says something unknown. */
type Reader = (given: Json, at: string) => WebSearch | undefined;

const knowsAll = (given: Json, known: readonly string[]): boolean =>
  Object.keys(given).every((name) => given[name] == null || known.includes(name));

const domains = (value: unknown, at: string): string[] | undefined => {
  if (value == null) return undefined;
  const list = readArray(value, at).map((item, i) => readString(item, `${at}[${i}]`));
  return list.length > 0 ? list : undefined;
};

/** OpenAI's chat nests the location in `approximate`. */
function placeIn(value: unknown, at: string): Place | undefined {
  if (value == null) return undefined;
  const given = readObject(value, at);
  const place = isObject(given.approximate) ? given.approximate : given;
  const read = (name: string) => optionalString(place, name, at);
  const names = ['country', 'region', 'city', 'timezone'];
  // Its members are these names.
  return onlyGiven(Object.fromEntries(names.map((name) => [name, read(name)]))) as Place;
}

type Said = { [N in keyof WebSearch]?: WebSearch[N] | undefined };

/** Omits undefined members, since requests are compared by content; the type does not express that. */
const searchOf = (name: unknown, offered: boolean, said: Said): WebSearch =>
  onlyGiven({ name: String(name), offered, ...said }) as WebSearch;

const openaiTool = /^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/;
const openaiMembers = [
  ...['type', 'filters', 'search_context_size', 'user_location'],
  ...['external_web_access', 'indexed_web_access', 'search_content_types'],
];

/** Images in addition are a hint; images only are another kind of search. */
const findsTexts = ({ search_content_types: types }: Json): boolean =>
  types == null || (Array.isArray(types) && types.includes('text'));

/** A tool of OpenAI's Responses; chat clients send it, too. */
export const readOpenaiTool: Reader = (tool, at) => {
  const filters = isObject(tool.filters) ? tool.filters : {};
  if (!openaiTool.test(String(tool.type)) || !knowsAll(tool, openaiMembers) || !findsTexts(tool)) return undefined;
  if (!knowsAll(filters, ['allowed_domains', 'blocked_domains'])) return undefined;
  return searchOf(tool.type, true, {
    allowedDomains: domains(filters.allowed_domains, `${at}.filters.allowed_domains`),
    blockedDomains: domains(filters.blocked_domains, `${at}.filters.blocked_domains`),
    keptOnly: tool.external_web_access === false || tool.indexed_web_access === true || undefined,
    location: placeIn(tool.user_location, `${at}.user_location`),
    contextSize: optionalEnum(tool, 'search_context_size', sizes, at),
  });
};

/** `web_search_options` of a chat. */
export const readChatOptions: Reader = (options, at) =>
  knowsAll(options, ['search_context_size', 'user_location'])
    ? searchOf(at, false, {
        location: placeIn(options.user_location, `${at}.user_location`),
        contextSize: optionalEnum(options, 'search_context_size', sizes, at),
      })
    : undefined;

const messagesTool = /^web_search_\d+$/;
const messagesMembers = [
  'type',
  'name',
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'user_location',
  'cache_control',
];

export const readMessagesTool: Reader = (tool, at) =>
  messagesTool.test(String(tool.type)) && knowsAll(tool, messagesMembers)
    ? searchOf(tool.type, true, {
        allowedDomains: domains(tool.allowed_domains, `${at}.allowed_domains`),
        blockedDomains: domains(tool.blocked_domains, `${at}.blocked_domains`),
        maxUses: optionalInteger(tool, 'max_uses', 1, maxInteger, at),
        location: placeIn(tool.user_location, `${at}.user_location`),
      })
    : undefined;

/** Google's tool, as `{type: 'googleSearch', googleSearch: {…}}`. */
export const readGoogleTool: Reader = ({ type, googleSearch: search }, at) =>
  type === 'googleSearch' && isObject(search) && knowsAll(search, ['excludeDomains'])
    ? searchOf(type, true, { blockedDomains: domains(search.excludeDomains, `${at}.googleSearch.excludeDomains`) })
    : undefined;

/** OpenRouter's plugin; its other options are for OpenRouter only. */
export function readPlugins(value: unknown): WebSearch | undefined {
  const [plugin, ...others] = Array.isArray(value) ? value : [];
  const isPlain = isObject(plugin) && plugin.id === 'web' && knowsAll(plugin, ['id']);
  return isPlain && others.length === 0 ? searchOf('plugins', false, {}) : undefined;
}

/** Removes the search from vendor-run tools. */
export function withoutSearchTool(tools: Json[] | undefined, read: Reader): Pick<Params, 'rawTools' | 'webSearch'> {
  if (!tools || tools.length === 0) return {};
  let webSearch: WebSearch | undefined;
  const rawTools = tools.filter((tool, i) => {
    const found = read(tool, `tools[${i}]`);
    webSearch ??= found;
    return !found;
  });
  return { ...(rawTools.length > 0 && { rawTools }), ...(webSearch && { webSearch }) };
}

const toolReaders: Record<Exclude<WireFormat, 'gemini'>, Reader> = {
  chat: (tool, at) => (tool.type === openrouterTool ? searchOf(tool.type, true, {}) : readOpenaiTool(tool, at)),
  responses: readOpenaiTool,
  messages: readMessagesTool,
};

/** A body without any known search option. */
export function withoutSearch(format: WireFormat, body: Json): Json {
  const { tools: given, ...rest } = body;
  if (format === 'chat') {
    if (isObject(rest.web_search_options) && readChatOptions(rest.web_search_options, ''))
      delete rest.web_search_options;
    if (readPlugins(rest.plugins)) delete rest.plugins;
  }
  if (format === 'responses' && Array.isArray(rest.input)) rest.input = rest.input.map(withoutBroughtSearch);
  if (!Array.isArray(given)) return given === undefined ? rest : { ...rest, tools: given };
  const left = format === 'gemini' ? withoutGoogleSearch(given) : withoutSearchIn(format, given);
  return left.length > 0 ? { ...rest, tools: left } : rest;
}

const withoutSearchIn = (format: keyof typeof toolReaders, tools: unknown[]): unknown[] =>
  tools.filter((tool, i) => !(isObject(tool) && toolReaders[format](tool, `tools[${i}]`)));

const withoutBroughtSearch = (item: unknown): unknown =>
  isObject(item) && addsTools(item) && Array.isArray(item.tools)
    ? { ...item, tools: withoutSearchIn('responses', item.tools) }
    : item;

const withoutGoogleSearch = (tools: unknown[]): unknown[] =>
  tools.flatMap((tool, i) => {
    if (!isObject(tool) || !readGoogleTool({ type: 'googleSearch', googleSearch: tool.googleSearch }, `tools[${i}]`))
      return [tool];
    const { googleSearch: _, ...others } = tool;
    return Object.keys(others).length > 0 ? [others] : [];
  });

const approximate = (place: Place | undefined): Json =>
  place ? { user_location: { type: 'approximate', ...place } } : {};

export const writeMessagesTool = ({ maxUses, allowedDomains, blockedDomains, location }: WebSearch): Json => ({
  type: 'web_search_20250305',
  name: 'web_search',
  ...(maxUses !== undefined && { max_uses: maxUses }),
  ...(allowedDomains && { allowed_domains: allowedDomains }),
  ...(blockedDomains && { blocked_domains: blockedDomains }),
  ...approximate(location),
});

export const writeOpenaiTool = ({ allowedDomains, keptOnly, location, contextSize }: WebSearch): Json => ({
  type: 'web_search',
  ...(allowedDomains && { filters: { allowed_domains: allowedDomains } }),
  ...(keptOnly && { external_web_access: false }),
  ...(contextSize && { search_context_size: contextSize }),
  ...approximate(location),
});

export const writeChatOptions = ({ location, contextSize }: WebSearch): Json => ({
  ...(contextSize && { search_context_size: contextSize }),
  ...(location && { user_location: { type: 'approximate', approximate: location } }),
});

/** OpenRouter runs it for all of its models. */
const openrouterTool = 'openrouter:web_search';

export const writeOpenrouterTool = ({ allowedDomains, blockedDomains, contextSize }: WebSearch): Json => ({
  type: openrouterTool,
  parameters: {
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && { excluded_domains: blockedDomains }),
    ...(contextSize && { search_context_size: contextSize }),
  },
});

export const writeGoogleTool = ({ blockedDomains }: WebSearch): Json => ({
  googleSearch: { ...(blockedDomains && { excludeDomains: blockedDomains }) },
});
