/**
 * Anthropic's signatures are passed unchanged. Other vendors' get a prefix while the client holds them, so that each
 * vendor gets its own back, byte for byte, and never a foreign one, which it would refuse.
 */
const geminiMark = 'gemini#';
const openaiMark = 'openai#';

export const markGemini = (signature: string): string => geminiMark + signature;

/** Gemini's signature without its prefix, or undefined if it is not Gemini's. */
export const unmarkGemini = (signature: string | undefined): string | undefined =>
  signature?.startsWith(geminiMark) ? signature.slice(geminiMark.length) : undefined;

/** Reasoning encrypted by OpenAI, and the id of its item. */
export interface SealedByOpenai {
  id: string;
  data: string;
}

export const markOpenai = ({ id, data }: SealedByOpenai): string => `${openaiMark}${id}#${data}`;

/** Undefined if it is not OpenAI's. */
export function unmarkOpenai(signature: string | undefined): SealedByOpenai | undefined {
  if (!signature?.startsWith(openaiMark)) return undefined;
  const end = signature.indexOf('#', openaiMark.length);
  return end < 0 ? undefined : { id: signature.slice(openaiMark.length, end), data: signature.slice(end + 1) };
}

/** Unsigned reasoning comes from a vendor that signs nothing. */
export const isAnthropicSignature = (signature: string | undefined): signature is string =>
  signature !== undefined && signature !== '' && !signature.startsWith(geminiMark) && !signature.startsWith(openaiMark);
