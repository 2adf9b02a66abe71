import type { ByteSource } from '../../../lib/byte-source.ts';
import type { Answer, Delta, Json } from '../../wire/conversation.ts';
import { anthropicDecoder, fromAnthropic } from '../anthropic/answer.ts';
import { messageOf } from './converse-message.ts';
import { ConverseEvents } from './converse-stream.ts';
import { FramedSource, TranslatedSource } from './received.ts';

/** What cannot be translated stays as it is: whoever reads it says what is wrong. */
function asMessage(text: string): string {
  try {
    const message = messageOf(JSON.parse(text));
    return message ? JSON.stringify(message) : text;
  } catch {
    return text;
  }
}

export const converseReceived = (body: ByteSource, stream: boolean): ByteSource =>
  stream ? new FramedSource(body, new ConverseEvents()) : new TranslatedSource(body, asMessage);

/** An answer that has been received, or one as it came: a test of a channel reads those. */
export const fromConverse = (json: unknown): Answer => fromAnthropic(messageOf(json) ?? json);

/** The message begins before anything has been counted: nothing is no count. */
export function converseDecoder(): (json: Json) => Delta[] {
  const decode = anthropicDecoder();
  return (json) => {
    const deltas = decode(json);
    return json.type === 'message_start' ? deltas.filter(({ type }) => type !== 'usage') : deltas;
  };
}
