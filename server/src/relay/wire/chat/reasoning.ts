import { table } from '../../../lib/table.ts';
import type { Answer, Json, Part } from '../conversation.ts';
import { isReasoningDetail } from '../raw-part.ts';
import { markGemini, markOpenai, unmarkGemini, unmarkOpenai } from '../signature.ts';

/** `reasoning_details` as defined by OpenRouter: what a client keeps to return a model's reasoning unchanged. */
export type ReasoningFormat = NonNullable<Answer['reasoningFormat']>;

const anthropic: ReasoningFormat = 'anthropic-claude-v1';
const gemini: ReasoningFormat = 'google-gemini-v1';
const openai = 'openai-responses-v1';

/** Whose reasoning it is, by upstream format; other formats have no signatures. */
export const reasoningFormats = table<ReasoningFormat>({ messages: anthropic, gemini });

/** For a whole answer. Unsigned reasoning is included only if its vendor is known. */
export function renderReasoningDetails(parts: Part[], format?: ReasoningFormat): Json[] {
  return parts.flatMap((part) => detailsOf(part, format)).map((detail, index) => ({ ...detail, index }));
}

function detailsOf(part: Part, format: ReasoningFormat | undefined): Json[] {
  if (part.type === 'raw') return isReasoningDetail(part) ? [part.value] : [];
  if (part.type === 'redacted_thinking') return [redactedDetail(part.data)];
  if (part.type === 'tool_call') return part.signature === undefined ? [] : [callDetail(part.id, part.signature)];
  if (part.type !== 'thinking') return [];
  if (unmarkGemini(part.signature) !== undefined)
    return [...(part.text === '' ? [] : [textDetail(part.text, gemini)]), signatureDetail(part.signature!)];
  if (unmarkOpenai(part.signature)) return [signatureDetail(part.signature!)];
  if (part.signature) return [{ ...textDetail(part.text, anthropic), signature: part.signature }];
  return format && part.text !== '' ? [textDetail(part.text, format)] : [];
}

export const textDetail = (text: string, format: ReasoningFormat): Json => ({ type: 'reasoning.text', text, format });

export const redactedDetail = (data: string): Json => ({ type: 'reasoning.encrypted', data, format: anthropic });

/** Gemini signs calls; the detail names the call it belongs to. */
export const callDetail = (id: string, data: string): Json => ({
  type: 'reasoning.encrypted',
  data,
  id,
  format: gemini,
});

/** Anthropic's signature belongs to the text before it; others stand alone. */
export function signatureDetail(signature: string): Json {
  const sealed = unmarkOpenai(signature);
  if (sealed) return { type: 'reasoning.encrypted', ...sealed, format: openai };
  const own = unmarkGemini(signature);
  if (own === undefined) return { ...textDetail('', anthropic), signature };
  return { type: 'reasoning.encrypted', data: own, format: gemini };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Details without a format are Anthropic's, as they were before others existed. */
const anthropicFormats: unknown[] = [undefined, null, 'unknown', anthropic];

/**
 * Reads details returned by a client or sent by an upstream: reasoning, and signatures of calls by call id. Unjoined
 * stream pieces are joined. Encrypted reasoning of other vendors is dropped, since it means nothing in another format,
 * except in answers to clients that return it.
 */
export function readReasoningDetails(
  details: readonly Json[],
  foreign: 'drop' | 'keep' = 'drop',
): { thoughts: Part[]; signatures: ReadonlyMap<string, string> } {
  const thoughts: Part[] = [];
  if (details.length === 0) return { thoughts, signatures: unsigned };
  const signatures = new Map<string, string>();
  let lastIndex: unknown;
  for (const detail of details) {
    const { type, format, index } = detail;
    if (type === 'reasoning.text' || type === 'thinking') {
      addText(thoughts, detail, index === undefined || lastIndex === undefined || index === lastIndex);
      lastIndex = index;
    } else if (type === 'redacted_thinking' || (type === 'reasoning.encrypted' && anthropicFormats.includes(format))) {
      if (typeof detail.data === 'string') thoughts.push({ type: 'redacted_thinking', data: detail.data });
    } else if (type === 'reasoning.encrypted' && format === gemini && typeof detail.data === 'string') {
      if (typeof detail.id === 'string' && detail.id !== '') signatures.set(detail.id, detail.data);
      else thoughts.push({ type: 'thinking', text: '', signature: markGemini(detail.data) });
    } else if (foreign === 'drop' && type === 'reasoning.encrypted' && format === openai) {
      const { id, data } = detail;
      if (typeof data === 'string')
        thoughts.push({ type: 'thinking', text: '', signature: markOpenai({ id: textOf(id), data }) });
    } else if (foreign === 'keep' && typeof type === 'string' && type.startsWith('reasoning.'))
      thoughts.push({ type: 'raw', format: 'chat', value: detail });
  }
  return { thoughts, signatures };
}

const unsigned: ReadonlyMap<string, string> = new Map();

function addText(thoughts: Part[], detail: Json, maySame: boolean): void {
  const text = textOf(detail.type === 'thinking' ? detail.thinking : detail.text);
  const signature = textOf(detail.signature);
  const last = thoughts.at(-1);
  if (maySame && last?.type === 'thinking' && last.signature === undefined) {
    last.text += text;
    if (signature !== '') last.signature = signature;
  } else thoughts.push({ type: 'thinking', text, ...(signature !== '' && { signature }) });
}

/** Attaches signatures to their calls; others stay with the reasoning. */
export function withSignatures(thoughts: Part[], signatures: ReadonlyMap<string, string>, said: Part[]): Part[] {
  if (signatures.size > 0) return withEach(thoughts, signatures, said);
  return thoughts.length === 0 ? said : [...thoughts, ...said];
}

function withEach(thoughts: Part[], signatures: ReadonlyMap<string, string>, said: Part[]): Part[] {
  const left = new Map(signatures);
  const signed = said.map((part): Part => {
    const signature = part.type === 'tool_call' ? left.get(part.id) : undefined;
    if (part.type !== 'tool_call' || signature === undefined) return part;
    left.delete(part.id);
    return { ...part, signature: part.signature ?? signature };
  });
  const rest = [...left.values()].map((own): Part => ({ type: 'thinking', text: '', signature: markGemini(own) }));
  return [...thoughts, ...rest, ...signed];
}
