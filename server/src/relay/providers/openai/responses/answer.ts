import { objectsIn } from '../../../../lib/is-object.ts';
import type { Usage } from '../../../../lib/money.ts';
import { lettersIn, movedBy, readAnnotations } from '../../../wire/citations.ts';
import {
  type Answer,
  type Finish,
  failure,
  isObject,
  type Json,
  type Part,
  type TextPart,
  UpstreamFault,
} from '../../../wire/conversation.ts';
import { argumentsOf } from '../../../wire/custom-tools.ts';
import type { SearchPart } from '../../../wire/search.ts';
import { markOpenai } from '../../../wire/signature.ts';
import { readResponsesUsage } from '../../../wire/usage.ts';
import { readEmbeddedError } from '../../kind/errors.ts';

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses a response, or throws the error it ended with. */
export function fromResponses(json: unknown): Answer {
  if (!isObject(json)) throw new UpstreamFault(failure('the upstream response is not a JSON object'));
  if (json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  if (!Array.isArray(json.output)) throw new UpstreamFault(failure('the upstream returned no output'));
  if (json.status !== 'completed' && json.status !== 'incomplete')
    throw new UpstreamFault(failure(`the upstream ended its response with status '${json.status}'`));
  const items = objectsIn(json.output);
  return {
    id: text(json.id),
    model: text(json.model),
    parts: fromBeginning(items.flatMap(partsOf)),
    finish: finishOf(json, items.some(isCall)),
    usage: withSearches(readResponsesUsage(json.usage), items.filter(isSearch).length),
    source: { format: 'responses', body: json },
  };
}

export const isCall = ({ type }: Json): boolean => type === 'function_call' || type === 'custom_tool_call';

/** How a response ended. */
export function finishOf({ status, incomplete_details: details }: Json, called: boolean): Finish {
  if (status === 'incomplete')
    return isObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
  return called ? 'tool_calls' : 'stop';
}

export function partsOf(item: Json): Part[] {
  switch (item.type) {
    case 'message':
      return objectsIn(item.content).flatMap(wordsOf);
    case 'reasoning':
      return thoughtsOf(item);
    case 'function_call': {
      const { call_id, id, name, arguments: args } = item;
      return [{ type: 'tool_call', id: text(call_id) || text(id), name: text(name), arguments: text(args) }];
    }
    case 'custom_tool_call': {
      const { call_id, id, name, input } = item;
      return [
        { type: 'tool_call', id: text(call_id) || text(id), name: text(name), arguments: argumentsOf(text(input)) },
      ];
    }
    case 'web_search_call':
      return isSearch(item) ? [searchOf(item)] : [];
    case 'image_generation_call':
      return text(item.result) === ''
        ? []
        : [{ type: 'image', source: { mediaType: 'image/png', data: text(item.result) } }];
    default:
      return [];
  }
}

/** Only searches are billed; opening and scanning pages is included. */
export const isSearch = ({ type, status, action }: Json): boolean =>
  type === 'web_search_call' && status !== 'failed' && (!isObject(action) || action.type === 'search');

export function searchOf({ id, action }: Json): SearchPart {
  const { query, queries, sources } = isObject(action) ? action : {};
  const asked = Array.isArray(queries) && queries.length > 0 ? queries : [query];
  const pages = objectsIn(sources).map(({ url }) => ({ url: text(url), title: '' }));
  return { type: 'search', id: text(id), queries: asked.map(text).filter((one) => one !== ''), pages };
}

/** The format does not count searches; they are among its items. */
export const withSearches = (usage: Usage | undefined, searches: number): Usage | undefined =>
  usage && searches > 0 ? { ...usage, searches } : usage;

export function wordsOf(part: Json): TextPart[] {
  if (part.type === 'refusal')
    return text(part.refusal) === '' ? [] : [{ type: 'text', text: text(part.refusal), refusal: true }];
  if (part.type !== 'output_text' || text(part.text) === '') return [];
  const logprobs = Array.isArray(part.logprobs) && part.logprobs.length > 0 ? part.logprobs : undefined;
  const cited = readAnnotations(part.annotations);
  return [{ type: 'text', text: text(part.text), ...(logprobs && { logprobs }), ...(cited.length > 0 && { cited }) }];
}

/** The format counts positions within each part. */
function fromBeginning(parts: Part[]): Part[] {
  let before = 0;
  return parts.map((part) => {
    if (part.type !== 'text' || part.refusal) return part;
    const start = before;
    before += lettersIn(part.text);
    return part.cited ? { ...part, cited: part.cited.map((one) => movedBy(one, start)) } : part;
  });
}

function thoughtsOf(item: Json): Part[] {
  const said = [...objectsIn(item.summary), ...objectsIn(item.content)].map((part) => text(part.text)).join('\n\n');
  const signature = signatureOf(item);
  if (said === '' && signature === undefined) return [];
  return [{ type: 'thinking', text: said, ...(signature !== undefined && { signature }) }];
}

/** What must be returned with the reasoning. */
export function signatureOf({ id, encrypted_content: data }: Json): string | undefined {
  return text(data) === '' ? undefined : markOpenai({ id: text(id), data: text(data) });
}
