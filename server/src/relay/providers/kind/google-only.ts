import { isObject, type Json, type Turn } from '../../wire/conversation.ts';
import { kindOfPart } from '../../wire/gemini/read-part.ts';
import { unsupported } from '../../wire/read.ts';

/** Whether a setting with this value asks for what every model gives. */
type Usual = (value: unknown) => boolean;

const isAbsent: Usual = (value) => value == null;

/** Settings of `generationConfig` that change what an answer is made of, and have no words in other formats. */
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

/** Beside it: an answer that Google alone can go on with, and a guard that the caller relies on. */
const beside = ['continuationToken', 'modelArmorConfig'];

/** Refuses, by name, what a request in Google's format asks for and only Google's models do. */
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

/** Of data and files also what they are of: others of the same name may well be carried. */
function nameOf(part: Json): string {
  const kind = kindOfPart(part) ?? 'an empty part';
  const { [kind]: held } = part;
  return isObject(held) && typeof held.mimeType === 'string' ? `${kind} of type ${held.mimeType.slice(0, 100)}` : kind;
}

const refused = (param: string, name: string) => unsupported(param, `'${name}' is not supported by this model.`);
