import { soundOf } from '../../lib/audio/duration.ts';
import { answerLimits } from '../../lib/collect-bytes.ts';
import { maybeJson } from '../../lib/maybe-json.ts';
import type { Price } from '../../lib/money.ts';
import { readAnswer } from '../../platform/http/read-answer.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { readEmbeddedError, undone } from '../providers/kind/errors.ts';
import type { Target } from '../providers/kind.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, missing, optionalEnum, optionalNumber, requiredString, unsupported } from '../wire/read.ts';
import { type Answered, callEndpoint } from './call-endpoint.ts';
import { isEventStream, readEvents, type Tell } from './event-answer.ts';
import { mostOf, transcriptUsage } from './transcript-usage.ts';

const formats = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;
type Format = (typeof formats)[number];

const contentTypes: Partial<Record<Format, string>> = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};

export interface Transcript {
  content: string;
  contentType: string;
  text: string;
  /** The upstream's last event, if it streamed. */
  done?: Json;
}

/** The form's text fields as an object, so that errors name fields as in JSON bodies. */
function fieldsOf(form: FormData): Json {
  const fields: Json = {};
  for (const [name, value] of form) if (typeof value === 'string') fields[name] = value;
  if (typeof fields.temperature === 'string') fields.temperature = Number(fields.temperature);
  return fields;
}

export interface AudioForm {
  form: FormData;
  model: string;
  format: Format;
  file: Blob;
  fields: Json;
}

/** Where some vendors also take audio from, whose length nobody knows beforehand. */
const otherSources = ['url', 'file_url', 'file_id', 'audio_url'];

export function checkForm(form: FormData): AudioForm {
  const fields = fieldsOf(form);
  const other = otherSources.find((name) => form.has(name));
  if (other !== undefined) throw unsupported(other, `'${other}' is not supported. Send the audio as 'file'.`);
  const file = form.get('file') as unknown;
  if (file === null) throw missing('file');
  if (!(file instanceof Blob)) throw invalid('file', `'file' must be a file.`);
  if (file.size === 0) throw invalid('file', `'file' must not be empty.`);
  const model = requiredString(fields, 'model');
  const format = optionalEnum(fields, 'response_format', formats) ?? 'json';
  optionalNumber(fields, 'temperature', 0, 1);
  const granularities = [...form.getAll('timestamp_granularities[]'), ...form.getAll('timestamp_granularities')];
  for (const item of granularities)
    if (item !== 'word' && item !== 'segment')
      throw invalid('timestamp_granularities', `'timestamp_granularities' may contain only 'word' and 'segment'.`);
  return { form, model, format, file, fields };
}

/** Speech to text, in its own language or in English. */
export async function transcribe(
  deps: RelayDeps,
  context: RequestContext,
  { form, model, format, file }: AudioForm,
  endpoint: 'transcriptions' | 'translations',
  tell?: Tell,
): Promise<Answered<Transcript>> {
  let heard: { text: string; price: Price } | undefined;
  const sound = await soundOf(new Uint8Array(await file.arrayBuffer()));
  const { seconds } = sound;
  const usageOf = (answer: Json, text: string, price: Price) =>
    transcriptUsage(deps, context, answer, text, mostOf(seconds, form), sound.least, price);
  return callEndpoint<Transcript>(deps, context, {
    type: 'transcription',
    model,
    offeredBy: (kind) => kind[endpoint] !== undefined,
    estimate: { most: () => mostOf(seconds, form) },
    toUpstream: (kind, target) => kind[endpoint]!.toUpstream(formFor(form, tell !== undefined, target), target),
    read: async (response, _, candidate, { touch }) => {
      const hear = (event: Json): void => {
        const piece = event.delta ?? event.text;
        const text = (heard?.text ?? '') + (typeof piece === 'string' ? piece : '');
        heard = { text, price: candidate.price };
        tell!(candidate, event);
      };
      const read =
        tell && isEventStream(response)
          ? await readSpoken(response, touch, hear)
          : readTranscript(await readAnswer(response, answerLimits.json), format);
      return { value: read.value, usage: await usageOf(read.answer, read.value.text, candidate.price) };
    },
    handedOn: () => (heard === undefined ? null : usageOf({}, heard.text, heard.price)),
  });
}

/** Models that support streaming; others ignore or refuse the option, or have events of their own. */
const speaksInEvents = (name: string): boolean => name.includes('gpt-4o') && name.includes('transcribe');

function formFor(form: FormData, streamed: boolean, { modelName }: Target): FormData {
  const sent = new FormData();
  for (const [name, value] of form) if (name !== 'stream') sent.append(name, value);
  if (streamed && speaksInEvents(modelName)) sent.append('stream', 'true');
  return sent;
}

const doneType = 'transcript.text.done';

/** Forwards all events but the last, which is sent after charging. */
async function readSpoken(response: Response, touch: () => void, hear: (event: Json) => void): Promise<ReadTranscript> {
  let done: Json | undefined;
  await readEvents(response, answerLimits.json, touch, (event) => {
    if (event.type === doneType) done = event;
    else hear(event);
  });
  if (typeof done?.text !== 'string') throw new UpstreamFault(failure('the upstream transcript was cut off'));
  return { value: { content: '', contentType: 'application/json', text: done.text, done }, answer: done };
}

/** The final events of a transcript; if it was not streamed, all of them. */
export function transcriptEvents({ value, usage }: Answered<Transcript>): Json[] {
  const { text, done } = value;
  if (done) return [done];
  const { promptTokens: input_tokens, completionTokens: output_tokens } = usage;
  const counted = { type: 'tokens', input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  return [
    ...(text === '' ? [] : [{ type: 'transcript.text.delta', delta: text }]),
    { type: doneType, text, usage: counted },
  ];
}

interface ReadTranscript {
  value: Transcript;
  /** Its fields, if it is JSON. */
  answer: Json;
}

/** The error page of a proxy in front of the upstream. */
const isPage = (text: string): boolean => /^\s*<(!doctype\s|html\b)/i.test(text.slice(0, 200));

function readTranscript(text: string, format: Format): ReadTranscript {
  const json = maybeJson(text);
  if (isObject(json) && json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  const contentType = contentTypes[format];
  const isText = contentType !== undefined && !isObject(json) && !isPage(text);
  if (isText) return { value: { content: text, contentType, text }, answer: {} };
  if (!isObject(json) || typeof json.text !== 'string')
    throw new UpstreamFault(failure('the upstream response has no text'));
  // Some servers answer in JSON whatever was requested; no subtitles can be made of its text.
  if (format === 'text')
    return { value: { content: json.text, contentType: contentTypes.text!, text: json.text }, answer: {} };
  if (contentType) throw new UpstreamFault(undone('the upstream returned no subtitles'));
  return { value: { content: text, contentType: 'application/json', text: json.text }, answer: json };
}
