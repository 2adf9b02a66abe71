import { type ByteSource, readText } from '../lib/byte-source.ts';
import { sseData } from '../lib/sse.ts';
import { chatWholeEvents } from './wire/chat/whole-events.ts';
import type { Json, WireFormat } from './wire/conversation.ts';
import { messagesWholeEvents } from './wire/messages/whole-events.ts';
import { responsesWholeEvents } from './wire/responses/whole-events.ts';

/** What the first bytes of an answer to a streamed request say. */
export type Beginning = 'blank' | 'events' | 'whole';

/**
 * Some servers ignore `stream` and answer with one JSON body, under various content types. No line of an event stream
 * begins with a bracket.
 */
export function beginningOf(bytes: Uint8Array): Beginning {
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === openBrace || byte === openBracket) return 'whole';
    if (!ignored.has(byte)) return 'events';
  }
  return 'blank';
}

const openBrace = 0x7b;
const openBracket = 0x5b;
/** White space, which keeps connections open, and a byte order mark. */
const ignored = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The text of a body whose first bytes were read. */
export function textFrom(first: Uint8Array, body: ByteSource): string | Promise<string> {
  // Copied, because the connection reuses its buffer.
  let before: Uint8Array | undefined = new Uint8Array(first);
  return readText({
    read: () => {
      const bytes = before ?? body.read();
      before = undefined;
      return bytes;
    },
    flow: (taker) => body.flow(taker),
    leave: () => body.leave(),
    abort: () => body.abort(),
  });
}

/** A whole answer as the events of a stream in its format. */
export const wholeEvents: Record<WireFormat, (body: Json) => string> = {
  chat: chatWholeEvents,
  messages: messagesWholeEvents,
  responses: responsesWholeEvents,
  gemini: (body) => sseData(JSON.stringify(body)),
};
