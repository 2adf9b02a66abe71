import { AppError } from '../../lib/errors.ts';
import type { Usage } from '../../lib/money.ts';
import { parseOverride } from '../../routing/override.ts';
import type { Errand, RelayDeps } from '../deps.ts';
import { durationOf } from '../providers/demo/audio/duration.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import { failure, isObject, type Json, UpstreamFault } from '../wire/conversation.ts';
import { invalid, missing, optionalEnum, optionalNumber, requiredString, unsupported } from '../wire/read.ts';
import { type Answered, callEndpoint, type Read } from './call-endpoint.ts';
import { countTexts } from './count-texts.ts';

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
  if (fields.stream === 'true') throw unsupported('stream', 'Transcripts are not streamed; leave `stream` out.');
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
  errand: Errand,
  { form, model, format, file }: AudioForm,
  endpoint: 'transcriptions' | 'translations',
): Promise<Answered<Transcript>> {
  const seconds = durationOf(new Uint8Array(await file.arrayBuffer()));
  return callEndpoint<Transcript>(deps, errand, {
    type: 'transcription',
    model,
    offeredBy: (kind) => kind[endpoint] !== undefined,
    estimate: () => ({ promptTokens: 0, completionTokens: Math.ceil(seconds * 5), units: seconds / 60 }),
    toUpstream: (kind, target) => kind[endpoint]!.toUpstream(form, target),
    read: async (response) => readTranscript(await response.text(), format, seconds),
  });
}

async function readTranscript(text: string, format: Format, seconds: number): Promise<Read<Transcript>> {
  const json = parse(text);
  if (isObject(json) && json.error != null) throw new UpstreamFault(readEmbeddedError(json));
  const contentType = contentTypes[format];
  if (contentType) {
    // Some servers answer in JSON whatever was asked.
    const content = isObject(json) && typeof json.text === 'string' && format === 'text' ? json.text : text;
    return { value: { content, contentType }, usage: await usageOf({}, content, seconds) };
  }
  if (!isObject(json) || typeof json.text !== 'string')
    throw new UpstreamFault(failure('the upstream sent an answer without a text'));
  return {
    value: { content: text, contentType: 'application/json' },
    usage: await usageOf(json, json.text, seconds),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const positive = (value: unknown): number | undefined => {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
};

/** Minutes as the upstream counts them, else as the file says; tokens where the upstream counts those. */
async function usageOf(answer: Json, text: string, seconds: number): Promise<Usage> {
  const usage = isObject(answer.usage) ? answer.usage : {};
  return {
    promptTokens: positive(usage.input_tokens) ?? 0,
    completionTokens: positive(usage.output_tokens) ?? (await countTexts([text])),
    units: (positive(usage.seconds) ?? positive(answer.duration) ?? seconds) / 60,
  };
}
