import { answerLimits } from '../../lib/collect-bytes.ts';
import type { Usage } from '../../lib/money.ts';
import type { Attempt } from '../../routing/plan.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { dispatch, kindOf, targetOf } from '../dispatch.ts';
import { openCall } from '../open-call.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import { tryCandidates } from '../try-candidates.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { missing, optionalEnum, optionalNumber, requiredString, weigh } from '../wire/read.ts';
import { AudioMeter, minutesOfText } from './audio-length.ts';
import { readFault, readJson, refuseFailure } from './call-endpoint.ts';
import { countTexts } from './count-texts.ts';
import { type Begun, SpeechPump } from './speech-pump.ts';

const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
const contentTypes: Record<(typeof formats)[number], string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Tokens per minute of audio at token-billed vendors. */
const tokensPerMinute = 1_250;
/** The hold must cover a slow voice with pauses. */
const slowVoice = 3;
/** A digit or symbol is spoken as a word. */
const lettersPerSign = 6;

export interface Speech {
  contentType: string;
  provider: string;
  body: ReadableStream<Uint8Array>;
  /** Requested as events. */
  inEvents: boolean;
  /** Usage of what was produced so far. */
  usage(): Promise<Usage>;
}

function check(body: Json) {
  const model = requiredString(body, 'model');
  const input = requiredString(body, 'input');
  if (body.voice === undefined || body.voice === null) throw missing('voice');
  if (isObject(body.voice)) requiredString(body.voice, 'id', 'voice');
  else requiredString(body, 'voice');
  const format = optionalEnum(body, 'response_format', formats) ?? 'mp3';
  const speed = optionalNumber(body, 'speed', 0.25, 4) ?? 1;
  const inEvents = optionalEnum(body, 'stream_format', ['audio', 'sse'] as const) === 'sse';
  const instructions = typeof body.instructions === 'string' ? body.instructions : '';
  return { model, input, instructions, format, speed, inEvents };
}

/** Text to speech: bytes are forwarded as they arrive; before the first, another candidate may take over. */
export async function speak(deps: RelayDeps, context: RequestContext, given: Json): Promise<Speech> {
  const { model, input, instructions, format, speed, inEvents } = check(given);
  // Every model can return plain audio, which is put into events here.
  const { stream_format: _, ...body } = given;
  const minutes = minutesOfText(input, speed);
  const mostTokens = weigh(body);
  const mostMinutes = longestMinutes(input, speed);
  const call = await openCall(
    deps,
    context,
    model,
    'speech',
    { most: () => usageOf(mostTokens, mostMinutes) },
    (candidate) => kindOf(candidate).speech !== undefined,
  );
  const begun = await tryCandidates(deps, context, call, (attempt) => begin(deps, context, body, attempt));
  const meter = new AudioMeter(format, minutes);
  const usage = async () => usageOf(await countTexts([input, instructions]), meter.minutes());
  const pump = new SpeechPump(deps, context, call, begun, { add: (chunk) => meter.add(chunk), usage });
  const type = begun.sent.response.headers.get('content-type');
  return {
    contentType: type?.startsWith('audio/') ? type : contentTypes[format],
    provider: begun.attempt.candidate.channel.provider,
    body: pump.stream(),
    inEvents,
    usage,
  };
}

/** Longer inputs are not analysed further; no model reads as much at once. */
const mostRead = 50_000;

/** Characters with more bytes also take longer to speak. */
function longestMinutes(input: string, speed: number): number {
  const signs = input.length > mostRead ? input.length : (input.match(/[^\p{L}\p{M}\s.,;:!?'"()-]/gu)?.length ?? 0);
  const letters = Buffer.byteLength(input) + signs * lettersPerSign;
  return minutesOfText('a', speed) * letters * slowVoice;
}

const usageOf = (promptTokens: number, minutes: number): Usage => ({
  promptTokens,
  completionTokens: Math.ceil(minutes * tokensPerMinute),
  units: minutes,
});

async function begin(deps: RelayDeps, context: RequestContext, body: Json, attempt: Attempt): Promise<Begun> {
  const { candidate } = attempt;
  const kind = kindOf(candidate);
  const request = kind.speech!.toUpstream(body, targetOf(candidate, context));
  const sent = await dispatch(deps, attempt, request, context, true);
  try {
    const { response } = sent;
    await refuseFailure(kind, response);
    if (/^(application\/json|text\/)/.test(response.headers.get('content-type') ?? '')) {
      const error = readEmbeddedError(await readJson(response, answerLimits.refusal));
      throw new UpstreamFault(error);
    }
    if (!response.body) throw new UpstreamFault(failure('the upstream returned no audio'));
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new UpstreamFault(failure('the upstream returned no audio'));
      if (value.byteLength === 0) continue;
      return { attempt, sent, reader, first: value, firstByteMs: deps.clock.steadyMs() - sent.startedMs };
    }
  } catch (error) {
    sent.done();
    sent.abort();
    throw readFault(error, sent);
  }
}
