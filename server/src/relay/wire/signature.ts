/**
 * Anthropic's signatures travel as they are. Those of another vendor carry its name in front while the client holds
 * them, so that on the way back each vendor gets its own, byte for byte, and never a foreign one (it would refuse it).
 */
const geminiMark = 'gemini#';
const openaiMark = 'openai#';

export const markGemini = (signature: string): string => geminiMark + signature;

/** The signature as Gemini gave it, or undefined when it is not Gemini's. */
export const unmarkGemini = (signature: string | undefined): string | undefined =>
  signature?.startsWith(geminiMark) ? signature.slice(geminiMark.length) : undefined;

/** What OpenAI sealed of a thought, and the id of the item that it came with. */
export interface SealedByOpenai {
  id: string;
  data: string;
}

export const markOpenai = ({ id, data }: SealedByOpenai): string => `${openaiMark}${id}#${data}`;

/** Undefined when it is not OpenAI's. */
export function unmarkOpenai(signature: string | undefined): SealedByOpenai | undefined {
  if (!signature?.startsWith(openaiMark)) return undefined;
  const end = signature.indexOf('#', openaiMark.length);
  return end < 0 ? undefined : { id: signature.slice(openaiMark.length, end), data: signature.slice(end + 1) };
}

/** Thinking without a signature came from a vendor that signs nothing. */
export const isAnthropicSignature = (signature: string | undefined): signature is string =>
  signature !== undefined && signature !== '' && !signature.startsWith(geminiMark) && !signature.startsWith(openaiMark);
