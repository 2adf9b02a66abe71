import type { ByteSource } from '../lib/byte-source.ts';
import { nowSeconds } from '../lib/clock.ts';
import { objectsIn } from '../lib/is-object.ts';
import type { Delivery } from './answer-chat.ts';
import { bodyIn } from './deliver-whole.ts';
import type { ChatCall } from './dispatch.ts';
import { OutputCounter } from './output-counter.ts';
import { isPlausible } from './plausible-usage.ts';
import type { ProviderKind } from './providers/kind.ts';
import { BegunStream, Pump } from './pump.ts';
import { type Beginning, beginningOf, textFrom, wholeEvents } from './whole-in-stream.ts';
import { unusedIds } from './wire/chat/call-places.ts';
import { type Delta, type Json, UpstreamFault, type WireFormat } from './wire/conversation.ts';
import { RelayStream } from './wire/relay-stream.ts';
import type { RelayStreamOptions, StreamClient } from './wire/renderers.ts';

export interface Reader {
  /** The client's stream format; `deltas` for callers in this process, which take values. */
  client: StreamClient;
  /** Id of the answer, if we write it ourselves. */
  answerId?: string;
  /** Called with the finished response before its last bytes are delivered. */
  onEnded?: ((response: Json) => void) | undefined;
  /** Observes every event; called once per candidate that is tried. */
  watch?: ((upstream: WireFormat) => RelayStreamOptions['onDeltas']) | undefined;
}

/** Reads until something is visible to the client, then delivers chunks as they arrive. */
export const streamed = ({ client, answerId = '', onEnded, watch }: Reader): Delivery<BegunStream, Pump> => ({
  read: async ({ deps, context, conversation, prompt }, body, kind, sent, candidate) => {
    const output = new OutputCounter();
    const deltas: Delta[] = [];
    const relay = new RelayStream({
      client,
      deltas,
      upstream: kind.wire,
      decode: kind.decoder(),
      model: conversation.model,
      id: answerId,
      created: nowSeconds(deps.clock),
      requestId: context.requestId,
      includeUsage: conversation.includeUsage,
      oldFunctions: conversation.oldFunctions,
      customTools: conversation.customTools,
      unusedIds: kind.wire === 'chat' ? unusedIds(conversation.turns) : undefined,
      echo: conversation.echo,
      now: () => nowSeconds(deps.clock),
      onEnded,
      showThoughts: conversation.showThoughts,
      expectsJson: conversation.params.responseFormat !== undefined,
      promptTokens: prompt.estimate,
      mayBePrompt: (tokens) => isPlausible(tokens, prompt.believed(candidate).promptTokens),
      onOutput: output.add,
      onDeltas: watch?.(kind.wire),
      // Completions are rewritten frame by frame, and watched streams must be parsed: neither may take the plain-text
      // shortcut.
      ...(!conversation.completion && !watch && { onPlainText: output.addEscaped }),
    });
    const { first, over } = await readFirst(relay, body, kind, sent);
    const firstTokenMs = deps.clock.steadyMs() - sent.startedMs;
    return new BegunStream(relay, body, output, deltas, first, over, firstTokenMs);
  },
  handOn: (answer, model) => new Pump(answer, model),
});

/** Bytes held back while the answer could still break off before anything visible. */
const mostHeldBytes = 65_536;

interface First {
  first: Uint8Array | null;
  over: boolean;
}

/**
 * Reads until the client would see something. A role, an empty delta or a message head does not commit us: if the
 * answer breaks off there, the next candidate takes over. Comments of the upstream are keep-alives, not output.
 */
async function readFirst(relay: RelayStream, body: ByteSource, kind: ProviderKind, sent: ChatCall): Promise<First> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let begins: Beginning = 'blank';
  for (;;) {
    const bytes = await body.read();
    if (!bytes) return { first: joined(held, ended(relay)), over: true };
    if (begins === 'blank') begins = beginningOf(bytes);
    if (begins === 'blank') continue;
    if (begins === 'whole') return readWhole(relay, await textFrom(bytes, body), kind, sent);
    const out = relay.push(bytes);
    if (relay.error) throw new UpstreamFault(relay.error);
    if (out) sent.touch();
    if (relay.ended || relay.hasOutput || heldBytes > mostHeldBytes)
      return { first: joined(held, out), over: relay.ended };
    if (out) {
      // Copied, because the connection reuses its buffer.
      held.push(new Uint8Array(out));
      heldBytes += out.length;
    }
  }
}

/** An answer that came in one piece although events were asked for: as the events it would have been. */
async function readWhole(relay: RelayStream, text: string, kind: ProviderKind, sent: ChatCall): Promise<First> {
  const body = await bodyIn(text, kind, sent);
  // Gemini's events without `alt=sse` are the elements of a list.
  const bodies = Array.isArray(body) && kind.wire === 'gemini' ? objectsIn(body) : [body];
  // Throws what it would throw for a whole answer.
  if (bodies.length === 1) kind.fromUpstream(bodies[0]);
  const out = bodies.flatMap((one) => relay.push(encoder.encode(wholeEvents[kind.wire](one))) ?? []);
  return { first: joined(out, ended(relay)), over: true };
}

/** What is left once the upstream has closed. */
function ended(relay: RelayStream): Uint8Array | null {
  const { tail, summary } = relay.end();
  if (relay.error) throw new UpstreamFault(relay.error);
  if (!summary.complete) throw new Error('the upstream closed the connection without a response');
  return tail;
}

const encoder = new TextEncoder();

function joined(held: Uint8Array[], last: Uint8Array | null): Uint8Array | null {
  if (held.length === 0) return last;
  return Buffer.concat(last ? [...held, last] : held);
}
