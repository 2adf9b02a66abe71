import { table } from '../../lib/table.ts';
import type { Candidate } from '../../routing/candidate.ts';
import type { RequestContext } from '../deps.ts';
import { isObject, type Json } from '../wire/conversation.ts';

/** What the client asked for. */
export interface RequestedSession {
  model: string;
  /** A transcription session without answers. */
  transcribes?: boolean | undefined;
  configuration?: Json | undefined;
}

/**
 * The first event sent to an upstream; undefined if there is none. A transcription session has no model in its URL, and
 * is told which one transcribes.
 */
export function firstEventOf(
  { clientHeaders }: RequestContext,
  candidate: Candidate,
  wanted: RequestedSession,
): Json | undefined {
  const { configuration, model } = wanted;
  if (candidate.type === 'realtime')
    return configuration && { type: 'session.update', session: { type: 'realtime', ...configuration } };
  const session = transcribing(configuration ?? {}, model);
  return clientHeaders?.['openai-beta']?.includes('realtime=v1')
    ? { type: 'transcription_session.update', session: asBefore(session) }
    : { type: 'session.update', session };
}

const formats = table<Json>({
  pcm16: { type: 'audio/pcm', rate: 24_000 },
  g711_ulaw: { type: 'audio/pcmu' },
  g711_alaw: { type: 'audio/pcma' },
});

/** Former names of parts of `audio.input`. */
const namesBefore = {
  format: 'input_audio_format',
  transcription: 'input_audio_transcription',
  noise_reduction: 'input_audio_noise_reduction',
  turn_detection: 'turn_detection',
} as const;

/** Converts a session description of the former format. */
function transcribing({ audio, ...given }: Json, model: string): Json {
  const input: Json = { ...(isObject(audio) && isObject(audio.input) ? audio.input : {}) };
  for (const [name, before] of Object.entries(namesBefore)) {
    if (given[before] !== undefined) input[name] = given[before];
    delete given[before];
  }
  if (typeof input.format === 'string') input.format = formats[input.format] ?? input.format;
  input.transcription = { ...(isObject(input.transcription) ? input.transcription : {}), model };
  return { ...given, type: 'transcription', audio: { ...(isObject(audio) ? audio : {}), input } };
}

function asBefore({ type: _, audio, ...given }: Json): Json {
  // Made above.
  const { input } = audio as { input: Json };
  const { type: format } = isObject(input.format) ? input.format : {};
  const [name] = Object.entries(formats).find(([, { type }]) => type === format) ?? [];
  const before = Object.entries(namesBefore).map(([now, old]) => [old, now === 'format' ? name : input[now]]);
  return { ...given, ...Object.fromEntries(before.filter(([, value]) => value !== undefined)) };
}

/** The model of a transcription session, in the current or former format. */
export function transcriptionModelIn({ audio, input_audio_transcription: before }: Json): unknown {
  const now = isObject(audio) && isObject(audio.input) ? audio.input.transcription : undefined;
  const transcription = now ?? before;
  return isObject(transcription) ? transcription.model : undefined;
}
