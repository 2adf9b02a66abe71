import { soundOf } from '../../lib/audio/duration.ts';
import { AppError } from '../../lib/errors.ts';
import { answerLimits, readAnswer } from '../../platform/http/read-answer.ts';
import { parseOverride } from '../../routing/override.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, missing, optionalEnum, optionalNumber, requiredString, unsupported } from '../wire/read.ts';
import { type Answered, callEndpoint } from './call-endpoint.ts';
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
}

/** The form's texts as an object, so that faults are named as in JSON bodies. */
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
  override: ReturnType<typeof parseOverride>;
}

export function checkForm(form: FormData): AudioForm {
  const fields = fieldsOf(form);
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
      throw invalid('timestamp_granularities', `'timestamp_granularities' holds 'word' or 'segment'.`);
  // Servers differ in what they take for yes; an answer in events could not be read.
  if (fields.stream !== undefined && fields.stream !== 'false' && fields.stream !== '')
    throw unsupported('stream', 'Transcripts are not streamed; leave `stream` out.');
  return { form, model, format, file, override: parseOverride(readJsonField(fields.provider)) };
}

function readJsonField(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new AppError('invalid_value', `'provider' must be JSON.`, { param: 'provider' });
  }
}

/** Sound to text, in its own language or in English. */
export async function transcribe(
  deps: RelayDeps,
  context: RequestContext,
  { form, model, format, file }: AudioForm,
  endpoint: 'transcriptions' | 'translations',
): Promise<Answered<Transcript>> {
  const sound = await soundOf(new Uint8Array(await file.arrayBuffer()));
  const { seconds } = sound;
  return callEndpoint<Transcript>(deps, context, {
    type: 'transcription',
    model,
    offeredBy: (kind) => kind[endpoint] !== undefined,
    estimate: { most: () => mostOf(seconds, form) },
    toUpstream: (kind, target) => kind[endpoint]!.toUpstream(form, target),
    read: async (response) => {
      const { value, answer, text } = readTranscript(await readAnswer(response, answerLimits.json), format);
      return { value, usage: await transcriptUsage(deps, context, answer, text, mostOf(seconds, form), sound.least) };
    },
  });
}

interface ReadTranscript {
  value: Transcript;
  /** Its fields, where it came as JSON. */
  answer: Json;
  text: string;
}

function readTranscript(text: string, format: Format): ReadTranscript {
  const json = parse(text);
  if (isObject(json) && json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  const contentType = contentTypes[format];
  if (contentType) {
    // Some servers answer in JSON whatever was asked.
    const content = isObject(json) && typeof json.text === 'string' && format === 'text' ? json.text : text;
    return { value: { content, contentType }, answer: {}, text: content };
  }
  if (!isObject(json) || typeof json.text !== 'string')
    throw new UpstreamFault(failure('the upstream sent an answer without a text'));
  return { value: { content: text, contentType: 'application/json' }, answer: json, text: json.text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
