/**
 * Anthropic's signatures travel as they are. Those of another vendor carry its name in front while the client holds
 * them, so that on the way back each vendor gets its own, byte for byte, and never a foreign one (it would refuse it).
 */
const geminiMark = 'gemini#';

export const markGemini = (signature: string): string => geminiMark + signature;

/** The signature as Gemini gave it, or undefined when it is not Gemini's. */
export const unmarkGemini = (signature: string | undefined): string | undefined =>
  signature?.startsWith(geminiMark) ? signature.slice(geminiMark.length) : undefined;

/** Thinking without a signature came from a vendor that signs nothing. */
export const isAnthropicSignature = (signature: string | undefined): signature is string =>
  signature !== undefined && signature !== '' && !signature.startsWith(geminiMark);
