import type { Usage } from '../../lib/money.ts';
import type { Attempt } from '../../routing/plan.ts';
import type { Errand, RelayDeps } from '../deps.ts';
import { dispatch, kindOf, targetOf } from '../dispatch.ts';
import { openCall } from '../open-call.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import { tryCandidates } from '../try-candidates.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, missing, optionalEnum, optionalNumber, requiredString } from '../wire/read.ts';
import { AudioMeter, minutesOfText } from './audio-length.ts';
import { readFault, readJson, refuseFailure } from './call-endpoint.ts';
import { countTexts, estimateTexts } from './count-texts.ts';
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

/** What vendors that bill by tokens count for a minute of sound. */
const tokensPerMinute = 1_250;
/** The hold must cover a slow voice too. */
const slowVoice = 1.5;

export interface Speech {
  contentType: string;
  provider: string;
  body: ReadableStream<Uint8Array>;
}

function check(body: Json) {
  const model = requiredString(body, 'model');
  const input = requiredString(body, 'input');
  if (body.voice === undefined || body.voice === null) throw missing('voice');
  if (isObject(body.voice)) requiredString(body.voice, 'id', 'voice');
  else requiredString(body, 'voice');
  const format = optionalEnum(body, 'response_format', formats) ?? 'mp3';
  const speed = optionalNumber(body, 'speed', 0.25, 4) ?? 1;
  if (body.stream_format === 'sse')
    throw invalid('stream_format', `'stream_format' must be audio: the sound itself is streamed.`);
  return { model, input, format, speed };
}

/** Text to sound: the bytes go through as they come, and until the first of them another candidate may take over. */
export async function speak(deps: RelayDeps, errand: Errand, body: Json): Promise<Speech> {
  const { model, input, format, speed } = check(body);
  const minutes = minutesOfText(input, speed);
  const promptTokens = estimateTexts([input]);
  const call = await openCall(
    deps,
    errand,
    model,
    'speech',
    () => usageOf(promptTokens, minutes * slowVoice),
    (candidate) => kindOf(candidate).speech !== undefined,
  );
  const begun = await tryCandidates(deps, errand, call, (attempt) => begin(deps, errand, body, attempt));
  const meter = new AudioMeter(format, minutes);
  const pump = new SpeechPump(deps, errand, call, begun, {
    add: (chunk) => meter.add(chunk),
    usage: async () => usageOf(await countTexts([input]), meter.minutes()),
  });
  const type = begun.sent.response.headers.get('content-type');
  return {
    contentType: type?.startsWith('audio/') ? type : contentTypes[format],
    provider: begun.attempt.candidate.channel.provider,
    body: pump.stream(),
  };
}

const usageOf = (promptTokens: number, minutes: number): Usage => ({
  promptTokens,
  completionTokens: Math.ceil(minutes * tokensPerMinute),
  units: minutes,
});

async function begin(deps: RelayDeps, errand: Errand, body: Json, attempt: Attempt): Promise<Begun> {
  const { candidate } = attempt;
  const kind = kindOf(candidate);
  const request = kind.speech!.toUpstream(body, targetOf(candidate, errand));
  const sent = await dispatch(deps, attempt, request, errand, true);
  try {
    const { response } = sent;
    await refuseFailure(kind, response);
    if (/^(application\/json|text\/)/.test(response.headers.get('content-type') ?? '')) {
      const error = readEmbeddedError(await readJson(response));
      throw new UpstreamFault(error);
    }
    if (!response.body) throw new UpstreamFault(failure('the upstream sent no sound'));
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new UpstreamFault(failure('the upstream sent no sound'));
      if (value.byteLength === 0) continue;
      return { attempt, sent, reader, first: value, firstByteMs: deps.clock.nowMs() - sent.startedMs };
    }
  } catch (error) {
    sent.done();
    sent.abort();
    throw readFault(error, sent);
  }
}
