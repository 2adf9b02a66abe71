import type { ByteSource } from '../../../lib/byte-source.ts';
import type { Answer, Delta, Json } from '../../wire/conversation.ts';
import { parseWithArguments } from '../../wire/exact-arguments.ts';
import { anthropicDecoder, fromAnthropic } from '../anthropic/answer.ts';
import { messageOf } from './converse-message.ts';
import { ConverseEvents } from './converse-stream.ts';
import { FramedSource, TranslatedSource } from './received.ts';

/** What cannot be translated is passed on; its reader reports the error. */
function asMessage(text: string): string {
  try {
    const message = messageOf(parseWithArguments(text));
    return message ? JSON.stringify(message) : text;
  } catch {
    return text;
  }
}

export const converseReceived = (body: ByteSource, stream: boolean): ByteSource =>
  stream ? new FramedSource(body, new ConverseEvents()) : new TranslatedSource(body, asMessage);

/** A translated answer, or one in the original form, as channel tests read it. */
export const fromConverse = (json: unknown): Answer => fromAnthropic(messageOf(json) ?? json);

/** The message starts before anything was counted: zero is not a count. */
export function converseDecoder(): (json: Json) => Delta[] {
  const decode = anthropicDecoder();
  return (json) => {
    const deltas = decode(json);
    return json.type === 'message_start' ? deltas.filter(({ type }) => type !== 'usage') : deltas;
  };
}
