import type { Conversation, Part, RawPart, WireFormat } from '../../wire/conversation.ts';
import { unsupported } from '../../wire/read.ts';

/** Whether a kind of upstream accepts a part. */
export type AcceptsPart = (part: Part) => boolean;

/** Each format's name for user content, file URLs and stop sequences. */
const words: Record<WireFormat, { param: string; address: string; stop: string }> = {
  chat: { param: 'messages', address: 'file_data', stop: 'stop' },
  messages: { param: 'messages', address: 'url', stop: 'stop_sequences' },
  responses: { param: 'input', address: 'file_url', stop: 'stop' },
  gemini: { param: 'contents', address: 'fileUri', stop: 'stopSequences' },
};

/**
 * Refuses, by name, user content that this kind of upstream does not accept: a model that never saw it would answer as
 * if it had. Model output is different: each model gets what it understands.
 */
export function refuseUnsupportedParts({ turns, source }: Conversation, carries: AcceptsPart): void {
  for (const { role, parts } of turns) {
    if (role === 'assistant') continue;
    for (const part of parts)
      for (const given of part.type === 'tool_result' ? part.content : [part])
        if (!carries(given)) throw refusal(given, words[source?.format ?? 'chat']);
  }
}

/** The format's name for content. */
export const contentParam = ({ source }: Conversation): string => words[source?.format ?? 'chat'].param;

/** Stop sequences, if all can be sent: without one, the model would continue past its end. */
export function stopsFor(
  { params, source }: Conversation,
  takes: { most?: number | undefined; blank: boolean },
): string[] | undefined {
  const { most = Number.POSITIVE_INFINITY, blank } = takes;
  const stops = params.stop?.filter((text) => text !== '');
  const { stop } = words[source?.format ?? 'chat'];
  if (stops && stops.length > most)
    throw unsupported(
      stop,
      most === 0
        ? `'${stop}' is not supported by this model together with tools.`
        : `More than ${most} of '${stop}' are not supported by this model.`,
    );
  if (!blank && stops?.some((text) => text.trim() === ''))
    throw unsupported(stop, `'${stop}' that contains only whitespace is not supported by this model.`);
  return stops;
}

/** Clients that ask for log probabilities depend on them. */
export function refuseLogprobs({ params }: Conversation): void {
  if (params.logprobs) throw unsupported('logprobs', `'logprobs' is not supported by this model.`);
}

function refusal(part: Part, { param, address }: (typeof words)[WireFormat]) {
  if (part.type === 'image' || part.type === 'file') {
    if ('fileId' in part.source)
      return unsupported(
        param,
        `'${part.source.fileId}' refers to a file stored by another vendor. Send its data instead.`,
      );
    if ('url' in part.source)
      return unsupported(param, `'${address}' is not supported by this model. Send the data instead.`);
  }
  return unsupported(param, `Parts of type '${nameOf(part)}' are not supported by this model.`);
}

/** The part's name in its format. */
const nameOf = (part: Part): unknown =>
  part.type === 'audio' ? 'input_audio' : part.type === 'raw' ? part.value.type : part.type;

/** Reasoning and parts of the upstream's own format are handled elsewhere. */
const isOwn = (part: RawPart, wire: WireFormat): boolean => part.format === wire;

/** An id is known only to the vendor that issued it. */
const isNamed = (part: Part): boolean => (part.type === 'image' || part.type === 'file') && 'fileId' in part.source;

/** A vendor accepts everything except other vendors' ids and formats, and the listed parts. */
export const acceptsAllBut =
  (wire: WireFormat, ...types: Part['type'][]): AcceptsPart =>
  (part) =>
    !types.includes(part.type) && !isNamed(part) && (part.type !== 'raw' || isOwn(part, wire));
