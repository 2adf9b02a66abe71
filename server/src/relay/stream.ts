import type { Attempt } from '../routing/plan.ts';
import { chatEstimate } from './bill.ts';
import type { Errand, RelayDeps } from './deps.ts';
import { dispatchChat, kindOf, targetOf, type UpstreamCall } from './dispatch.ts';
import { fitsPrompt } from './fits.ts';
import { inlineImages } from './inline-images.ts';
import { openCall } from './open-call.ts';
import { OutputCounter } from './output-counter.ts';
import { type Prompt, promptOf } from './prompt.ts';
import { type Begun, type OpenStream, Pump } from './pump.ts';
import { tryCandidates } from './try-candidates.ts';
import { type ByteSource, readText } from './upstream/source.ts';
import { type Conversation, type Delta, UpstreamFault, type WireFormat } from './wire/conversation.ts';
import { RelayStream } from './wire/relay-stream.ts';

/** Silence in mid-stream that no healthy upstream keeps; a channel with less patience has its own. */
const mostSilenceMs = 30_000;

export interface StreamOptions {
  client: WireFormat;
  /** Of the answer, where we write one. */
  answerId: string;
  /** Every step of the answer, for callers inside the house. */
  onDelta?: (delta: Delta) => void;
}

/** The story of one streamed request up to its first byte: until then another candidate may still take over. */
export async function openStream(
  deps: RelayDeps,
  errand: Errand,
  conversation: Conversation,
  options: StreamOptions,
): Promise<OpenStream> {
  const prompt = promptOf(conversation);
  const estimate = chatEstimate(prompt, conversation.params);
  const call = await openCall(deps, errand, conversation.model, 'chat', estimate, fitsPrompt(prompt));
  const begun = await tryCandidates(deps, errand, call, (attempt) =>
    begin(deps, errand, conversation, prompt, options, attempt),
  );
  // No closure here: it would keep the request, pictures and all, for as long as the stream is open.
  return new Pump(deps, errand, call, begun);
}

async function begin(
  deps: RelayDeps,
  errand: Errand,
  conversation: Conversation,
  prompt: Prompt,
  options: StreamOptions,
  attempt: Attempt,
): Promise<Begun> {
  const { candidate } = attempt;
  const kind = kindOf(candidate);
  const given = await inlineImages(kind, conversation, deps.baseUrl, errand);
  const request = kind.toUpstream(given, targetOf(candidate, errand));
  const sent = dispatchChat(deps, attempt, request, errand, true);
  try {
    const answer = sent.answer(await sent.head());
    const { status, body } = answer;
    if (status < 200 || status > 299)
      throw new UpstreamFault(kind.errorOf(status, answer.headers(), await readText(body)));
    const output = new OutputCounter();
    const decode = kind.decoder();
    const { onDelta } = options;
    const relay = new RelayStream({
      client: options.client,
      upstream: kind.wire,
      endsExplicitly: kind.endsExplicitly,
      decode: onDelta ? (json) => tell(decode(json), onDelta) : decode,
      model: conversation.model,
      id: options.answerId,
      created: Math.floor(deps.clock.nowMs() / 1000),
      requestId: errand.requestId,
      includeUsage: conversation.includeUsage,
      expectsJson: conversation.params.responseFormat !== undefined,
      promptTokens: prompt.estimate,
      onOutput: output.add,
      // Whoever follows the answer inside the house needs every piece read.
      ...(!onDelta && { onPlainText: output.addEscaped }),
    });
    const { first, over } = await readFirst(relay, body, sent);
    const firstTokenMs = deps.clock.nowMs() - sent.startedMs;
    sent.allowSilence(Math.min(candidate.channel.timeoutMs, mostSilenceMs));
    return { attempt, prompt, sent, relay, body, output, first, over, firstTokenMs };
  } catch (error) {
    sent.done();
    sent.abort();
    if (error instanceof UpstreamFault) throw error;
    throw sent.fault(error);
  }
}

function tell(deltas: Delta[], onDelta: (delta: Delta) => void): Delta[] {
  for (const delta of deltas) onDelta(delta);
  return deltas;
}

/** Reads until there is something to give to the client. Comments of the upstream are signs of life, not answers. */
async function readFirst(
  relay: RelayStream,
  body: ByteSource,
  sent: UpstreamCall,
): Promise<{ first: Uint8Array | null; over: boolean }> {
  for (;;) {
    const bytes = await body.read();
    if (!bytes) {
      const { tail, summary } = relay.end();
      if (relay.error) throw new UpstreamFault(relay.error);
      if (!summary.complete) throw new Error('the upstream closed without an answer');
      return { first: tail, over: true };
    }
    const out = relay.push(bytes);
    if (relay.error) throw new UpstreamFault(relay.error);
    if (out) {
      sent.touch();
      return { first: out, over: relay.ended };
    }
  }
}
