import { lettersIn, movedBy, readAnnotations } from '../../../wire/citations.ts';
import { type Delta, failure, isObject, type Json, type Part, type TextPart } from '../../../wire/conversation.ts';
import { argumentsOf } from '../../../wire/custom-tools.ts';
import { readResponsesUsage } from '../../../wire/usage.ts';
import { readEmbeddedError } from '../../kind/errors.ts';
import { finishOf, isSearch, partsOf, searchOf, signatureOf, text, withSearches, wordsOf } from './answer.ts';

/** Parses the events of one response. What events omit is taken from the item when it is done. */
export function responsesDecoder(): (event: Json) => Delta[] {
  let started = false;
  let called = false;
  let searches = 0;
  /** Indexes of items whose text or reasoning was streamed. */
  const told = new Set<unknown>();
  /** Characters so far, and before the current part; which part that is. */
  const said = { letters: 0, before: 0, part: '' };
  /** Indexes of items whose citations were streamed. */
  const cited = new Set<unknown>();
  /** Finished items, by index and id. */
  const ended = new Set<unknown>();
  /** Positions of function calls, by item index. */
  const places = new Map<unknown, number>();

  function begin({ id, model }: Json): Delta[] {
    if (started) return [];
    started = true;
    return [{ type: 'start', id: text(id), model: text(model) }];
  }

  function piece(event: Json, delta: Delta): Delta[] {
    told.add(event.output_index);
    return [delta];
  }

  function words(event: Json, delta: Extract<Delta, { type: 'text' }>): Delta[] {
    const part = `${event.output_index}.${event.content_index}`;
    if (part !== said.part) Object.assign(said, { part, before: said.letters });
    said.letters += lettersIn(delta.text);
    return piece(event, delta);
  }

  function cites({ output_index, annotation }: Json): Delta[] {
    cited.add(output_index);
    return readAnnotations([annotation]).map((one) => movedBy(one, said.before));
  }

  /** Citations of an item that no event has sent. */
  function citedIn(index: unknown, parts: TextPart[]): Delta[] {
    if (cited.has(index)) return [];
    let before = said.letters - parts.reduce((sum, part) => sum + lettersIn(part.text), 0);
    return parts.flatMap((part) => {
      const start = before;
      before += lettersIn(part.text);
      return (part.cited ?? []).map((one) => movedBy(one, start));
    });
  }

  function open(index: unknown, { type, call_id, id, name }: Json): Delta[] {
    if ((type !== 'function_call' && type !== 'custom_tool_call') || places.has(index)) return [];
    called = true;
    const place = places.size;
    places.set(index, place);
    return [{ type: 'tool_start', index: place, id: text(call_id) || text(id) || `call_${place}`, name: text(name) }];
  }

  function args(event: Json): Delta[] {
    const place = places.get(event.output_index);
    const more = text(event.delta);
    return place === undefined || more === '' ? [] : piece(event, { type: 'tool_args', index: place, args: more });
  }

  function done(index: unknown, item: Json): Delta[] {
    ended.add(index).add(item.id ?? index);
    const opened = open(index, item);
    const isTold = told.has(index);
    if (item.type === 'function_call')
      return isTold || text(item.arguments) === ''
        ? opened
        : [...opened, { type: 'tool_args', index: places.get(index)!, args: text(item.arguments) }];
    // Its free text becomes JSON once it is complete.
    if (item.type === 'custom_tool_call')
      return [...opened, { type: 'tool_args', index: places.get(index)!, args: argumentsOf(text(item.input)) }];
    if (item.type === 'reasoning') {
      const signature = signatureOf(item);
      const thoughts = isTold ? [] : partsOf(item).flatMap(thoughtIn);
      return signature === undefined ? thoughts : [...thoughts, { type: 'signature', signature }];
    }
    if (isSearch(item)) {
      searches += 1;
      return [searchOf(item)];
    }
    if (item.type === 'image_generation_call') return partsOf(item).filter((part) => part.type === 'image');
    if (item.type !== 'message' || !Array.isArray(item.content)) return [];
    const parts = item.content.filter(isObject).flatMap(wordsOf);
    const spoken = parts.filter((part) => !part.refusal);
    if (isTold) return citedIn(index, spoken);
    for (const { text: whole } of spoken) said.letters += lettersIn(whole);
    return [...parts.map(({ cited: _, ...part }): Delta => part), ...citedIn(index, spoken)];
  }

  /** Items that no event has sent. If events name none, they cannot be told apart. */
  function leftOut({ output }: Json): Delta[] {
    if (!Array.isArray(output) || told.has(undefined)) return [];
    return output.flatMap((item, i) => (!isObject(item) || ended.has(i) || ended.has(item.id) ? [] : done(i, item)));
  }

  function end(response: Json): Delta[] {
    const left = leftOut(response);
    const usage = withSearches(readResponsesUsage(response.usage), searches);
    return [
      ...left,
      { type: 'finish', finish: finishOf(response, called) },
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      { type: 'end' },
    ];
  }

  return (event) => {
    const response = isObject(event.response) ? event.response : {};
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        return begin(response);
      case 'response.output_item.added':
        return isObject(event.item) ? open(event.output_index, event.item) : [];
      case 'response.output_item.done':
        return isObject(event.item) ? done(event.output_index, event.item) : [];
      case 'response.output_text.delta':
        return words(event, { type: 'text', text: text(event.delta), ...logprobsOf(event) });
      case 'response.output_text.annotation.added':
        return cites(event);
      case 'response.refusal.delta':
        return piece(event, { type: 'text', text: text(event.delta), refusal: true });
      case 'response.reasoning_summary_part.added':
        return event.summary_index === 0 ? [] : [{ type: 'thinking', text: '\n\n' }];
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return piece(event, { type: 'thinking', text: text(event.delta) });
      case 'response.function_call_arguments.delta':
        return args(event);
      case 'response.completed':
      case 'response.incomplete':
        return [...begin(response), ...end(response)];
      case 'response.failed':
        return [{ type: 'error', error: readEmbeddedError(response) }];
      case 'error':
        return [{ type: 'error', error: readEmbeddedError(isObject(event.error) ? event : { error: event }) }];
      case 'response.cancelled':
        return [{ type: 'error', error: failure('the upstream cancelled its response') }];
      default:
        // Servers that fail before there is a response send a plain error.
        return event.error != null ? [{ type: 'error', error: readEmbeddedError(event) }] : [];
    }
  };
}

const thoughtIn = (part: Part): Delta[] =>
  part.type === 'thinking' && part.text !== '' ? [{ type: 'thinking', text: part.text }] : [];

const logprobsOf = ({ logprobs }: Json): { logprobs?: unknown[] } =>
  Array.isArray(logprobs) && logprobs.length > 0 ? { logprobs } : {};
