import { isObject, type Json, type Turn } from '../../wire/conversation.ts';
import { kindOfPart } from '../../wire/gemini/read-part.ts';
import { unsupported } from '../../wire/read.ts';

/** Whether a setting has its default effect. */
type Usual = (value: unknown) => boolean;

const isAbsent: Usual = (value) => value == null;

/** `generationConfig` settings that change the content of an answer and have no counterpart in other formats. */
const settings: [string, Usual][] = [
  ['candidateCount', (value) => value == null || value === 1],
  ['responseLogprobs', (value) => value == null || value === false],
  ['responseModalities', (value) => !Array.isArray(value) || value.every((one) => /^text$/i.test(String(one)))],
  ['responseMimeType', (value) => value !== 'text/x.enum'],
  ['responseFormat', isAbsent],
  ['speechConfig', isAbsent],
  ['imageConfig', isAbsent],
  ['audioTranscriptionConfig', isAbsent],
  ['generationOutputConfig', isAbsent],
];

/** A continuation that only Google can perform, and a guard the caller relies on. */
const beside = ['continuationToken', 'modelArmorConfig'];

/** Refuses, by name, what a request in Google's format asks for and only Google's models support. */
export function refuseGoogleOnly(turns: readonly Turn[], body: Json): void {
  const { generationConfig: config } = body;
  const asked = beside.find((name) => body[name] != null);
  if (asked) throw refused(asked, asked);
  if (isObject(config)) {
    const found = settings.find(([name, isUsual]) => !isUsual(config[name]));
    if (found) throw refused(`generationConfig.${found[0]}`, found[0]);
  }
  for (const turn of turns)
    for (const part of turn.parts)
      if (part.type === 'raw' && part.format === 'gemini') throw refused('contents', nameOf(part.value));
}

/** Includes the media type for data and files, since others may be supported. */
function nameOf(part: Json): string {
  const kind = kindOfPart(part) ?? 'an empty part';
  const { [kind]: held } = part;
  return isObject(held) && typeof held.mimeType === 'string' ? `${kind} of type ${held.mimeType.slice(0, 100)}` : kind;
}

const refused = (param: string, name: string) => unsupported(param, `'${name}' is not supported by this model.`);
