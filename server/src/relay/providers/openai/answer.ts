import { readChatFinish } from '../../wire/chat/answer.ts';
import { argumentsText, CallPlaces, newCallId } from '../../wire/chat/call-places.ts';
import { readReasoningDetails, withSignatures } from '../../wire/chat/reasoning.ts';
import { textAndReasoningIn } from '../../wire/chat/text-and-reasoning.ts';
import { type Citation, lettersIn, readAnnotations, readSearch } from '../../wire/citations.ts';
import {
  type Answer,
  type Delta,
  failure,
  type ImagePart,
  isObject,
  type Json,
  objectsIn,
  type Part,
  type TextPart,
  UpstreamFault,
} from '../../wire/conversation.ts';
import { parseDataUrl } from '../../wire/data-url.ts';
import { hasOutput } from '../../wire/output.ts';
import { chatUsageIn, readChatUsage } from '../../wire/usage.ts';
import { readEmbeddedError } from '../kind/errors.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** vLLM, and servers modelled on it, do not nest what went wrong. */
const isFault = ({ error, object }: Json): boolean => error != null || object === 'error';

/** Parses an answer, or throws the error it contains. */
export function fromOpenai(json: unknown): Answer {
  if (!isObject(json)) throw new UpstreamFault(failure('the upstream response is not a JSON object'));
  if (isFault(json)) throw new UpstreamFault(readEmbeddedError(json));
  const choice = Array.isArray(json.choices) ? json.choices.find(isObject) : undefined;
  if (choice === undefined || !isObject(choice.message))
    throw new UpstreamFault(failure('the upstream returned no choice'));
  if (choice.error != null) throw new UpstreamFault(readEmbeddedError(choice));
  const parts = withSearch(readMessage(choice.message, readLogprobs(choice)), json);
  const calls = parts.some(isCall);
  const finish = typeof choice.finish_reason === 'string' ? readChatFinish(choice.finish_reason) : undefined;
  const usage = readChatUsage(json.usage);
  if (choice.finish_reason === 'error')
    throw new UpstreamFault(failure('the upstream ended its response with an error'));
  if (finish === undefined && !hasOutput('chat', json))
    throw new UpstreamFault(failure('the upstream returned an incomplete choice'));
  return {
    id: text(json.id),
    model: text(json.model),
    parts,
    // Some servers say `stop` for tool calls, and clients rely on this field.
    finish: calls && (finish === 'stop' || finish === undefined) ? 'tool_calls' : (finish ?? 'stop'),
    usage,
    source: { format: 'chat', body: json },
  };
}

const isCall = ({ type }: Part): boolean => type === 'tool_call';
const isRaw = ({ type }: Part): boolean => type === 'raw';
const isText = ({ type }: Part): boolean => type === 'text';

function readMessage(message: Json, logprobs: unknown[] | undefined): Part[] {
  const parts: Part[] = [];
  const { thoughts, signatures } = readReasoningDetails(objectsIn(message.reasoning_details), 'keep');
  const { said, thought } = textAndReasoningIn(message.content);
  const thinking = text(message.reasoning_content) || text(message.reasoning) || thought;
  if (thinking !== '' && thoughts.every(isRaw)) thoughts.unshift({ type: 'thinking', text: thinking });
  if (said !== '') parts.push(saidPart(said, logprobs, message.annotations));
  else if (text(message.refusal) !== '') parts.push({ type: 'text', text: text(message.refusal), refusal: true });
  if (message.images != null) parts.push(...readImages(message.images));
  for (const call of callsIn(message)) {
    if (!isObject(call.function)) continue;
    parts.push({
      type: 'tool_call',
      id: text(call.id) || newCallId(),
      name: text(call.function.name),
      arguments: argumentsText(call.function.arguments),
    });
  }
  return withSignatures(thoughts, signatures, parts);
}

/** Older servers return a single function call without an id. */
function callsIn({ tool_calls: calls, function_call: old }: Json): readonly Json[] {
  const given = objectsIn(calls);
  return given.length === 0 && isObject(old) ? [{ function: old }] : given;
}

/** Pages listed beside the choices, if the message cites none. */
function withSearch(parts: Part[], body: Json): Part[] {
  const last = parts.findLastIndex(isText);
  const part = parts[last];
  if (part?.type !== 'text' || part.cited) return parts;
  const cited = readSearch(body, lettersIn(part.text));
  return cited.length === 0 ? parts : parts.with(last, { ...part, cited });
}

function saidPart(text: string, logprobs: unknown[] | undefined, annotations: unknown): TextPart {
  const part: TextPart = { type: 'text', text };
  if (logprobs) part.logprobs = logprobs;
  const cited = annotations == null ? undefined : readAnnotations(annotations);
  if (cited && cited.length > 0) part.cited = cited;
  return part;
}

/** OpenRouter's extension. */
const readImages = (images: unknown): ImagePart[] =>
  objectsIn(images).flatMap(({ image_url: image }): ImagePart[] => {
    const url = isObject(image) ? text(image.url) : '';
    return url === '' ? [] : [{ type: 'image', source: parseDataUrl(url) ?? { url } }];
  });

const readLogprobs = ({ logprobs }: Json): unknown[] | undefined =>
  isObject(logprobs) && Array.isArray(logprobs.content) && logprobs.content.length > 0 ? logprobs.content : undefined;

/** Parses the chunks of one stream. Does not assume that `choices[0]` exists. */
export function openaiDecoder(): (json: Json) => Delta[] {
  let started = false;
  let called = false;
  /** By index: whether the choice has ended. Chunks after its end belong to the same choice. */
  const ended = new Map<unknown, boolean>();
  /**
   * Choices other than the first received only count as started and ended: a client that asked for several gets them
   * unparsed.
   */
  let main: { index: unknown } | undefined;
  const calls = new CallPlaces();
  let letters = 0;
  let cites = false;

  function named(cited: Citation[]): Citation[] {
    cites ||= cited.length > 0;
    return cited;
  }

  function readCalls(pieces: readonly Json[]): Delta[] {
    return pieces.flatMap((piece, position): Delta[] => {
      const { place: index, opens } = calls.placeOf(piece, position);
      const args = isObject(piece.function) ? argumentsText(piece.function.arguments) : '';
      called ||= opens !== undefined;
      return [
        ...(opens ? [{ type: 'tool_start', index, ...opens } as const] : []),
        ...(args === '' ? [] : [{ type: 'tool_args', index, args } as const]),
      ];
    });
  }

  function readChoice(choice: Json, json: Json): Delta[] {
    if (choice.error != null) return [{ type: 'error', error: readEmbeddedError(choice) }];
    const index = choice.index ?? 0;
    const out = begin(index);
    main ??= { index };
    if (main.index === index) out.push(...readPiece(choice));
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '' && !ended.get(index)) {
      ended.set(index, true);
      if (main.index === index && !cites) out.push(...named(readSearch(json, letters)));
      out.push(finish(choice.finish_reason));
    }
    return out;
  }

  function readPiece(choice: Json): Delta[] {
    const delta = isObject(choice.delta) ? choice.delta : {};
    const out: Delta[] = [];
    const { said, thought } = textAndReasoningIn(delta.content);
    const thinking = text(delta.reasoning_content) || text(delta.reasoning) || thought;
    if (thinking !== '') out.push({ type: 'thinking', text: thinking });
    if (delta.reasoning_details != null) out.push(...readDetails(delta.reasoning_details, thinking === ''));
    const logprobs = choice.logprobs == null ? undefined : readLogprobs(choice);
    if (said !== '') out.push({ type: 'text', text: said, ...(logprobs && { logprobs }) });
    letters += lettersIn(said);
    if (delta.annotations != null) out.push(...named(readAnnotations(delta.annotations)));
    const refusal = text(delta.refusal);
    if (refusal !== '') out.push({ type: 'text', text: refusal, refusal: true });
    if (delta.images != null) out.push(...readImages(delta.images));
    if (delta.tool_calls != null || delta.function_call != null) out.push(...readCalls(callsIn(delta)));
    return out;
  }

  /** Includes the text only if it is nowhere else. */
  function readDetails(value: unknown, withText: boolean): Delta[] {
    const { thoughts, signatures } = readReasoningDetails(objectsIn(value), 'keep');
    return withSignatures(thoughts, signatures, []).flatMap((part): Delta[] => {
      if (part.type === 'redacted_thinking') return [part];
      if (part.type === 'raw') return [{ type: 'detail', detail: part.value }];
      if (part.type !== 'thinking') return [];
      const said: Delta[] = withText && part.text !== '' ? [{ type: 'thinking', text: part.text }] : [];
      return part.signature === undefined ? said : [...said, { type: 'signature', signature: part.signature }];
    });
  }

  function begin(index: unknown): Delta[] {
    if (ended.has(index)) return [];
    ended.set(index, false);
    return ended.size > 1 ? [{ type: 'choice' }] : [];
  }

  const finish = (reason: string): Delta => {
    if (reason === 'error') return { type: 'error', error: failure('the upstream ended its stream with an error') };
    const read = readChatFinish(reason);
    return { type: 'finish', finish: called && read === 'stop' ? 'tool_calls' : read };
  };

  return (json) => {
    if (isFault(json)) return [{ type: 'error', error: readEmbeddedError(json) }];
    const out: Delta[] = [];
    if (!started) {
      started = true;
      out.push({ type: 'start', id: text(json.id), model: text(json.model) });
    }
    for (const choice of Array.isArray(json.choices) ? json.choices : [])
      if (isObject(choice)) out.push(...readChoice(choice, json));
    // Usage may come with a normal chunk, or alone.
    const usage = readChatUsage(chatUsageIn(json));
    if (usage) out.push({ type: 'usage', usage });
    return out;
  };
}
