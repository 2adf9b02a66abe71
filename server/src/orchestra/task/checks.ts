import { squeeze } from '../messages.ts';

export type Fault = 'empty' | 'refused' | 'cut_off' | 'wrong_format' | 'no_tool_call';

export interface Checked {
  text: string;
  finishReason: string;
  /** Something to do instead of something to read. */
  hasToolCalls: boolean;
  /** The caller asked for a call of a tool, and there is none, or of another. */
  lacksCall?: boolean;
  /** The caller asked for JSON. */
  wantsJson: boolean;
  /** The caller set the limit that cut it off, so that is no fault. */
  limited: boolean;
}

/** A refusal is short and says so at once; a long answer that begins with an apology is an answer. */
const longestRefusal = 500;
const refusal =
  /^(?:i['’]?m (?:really |very |so )?sorry|sorry|i apologi[sz]e|unfortunately|as an ai\b[^.]{0,40}|i)[,.]?\s*(?:but\s+)?(?:i\s+)?(?:can(?:no|['’])?t|am (?:not able|unable)|['’]?m (?:not able|unable)|won['’]?t|will not|must decline)\s+(?:to\s+)?(?:help|assist|provide|comply|do that|do this|fulfil|answer|create|generate|continue|complete|engage|discuss|support|write|produce|share|process|access|with)/i;

/** Faults that can be seen without asking another model; null when there is none. */
export function findFault({ text, finishReason, hasToolCalls, lacksCall, wantsJson, limited }: Checked): Fault | null {
  if (lacksCall) return 'no_tool_call';
  if (hasToolCalls) return null;
  const words = squeeze(text);
  if (words === '') return 'empty';
  if (finishReason === 'content_filter') return 'refused';
  if (looksRefused(words)) return 'refused';
  if (finishReason === 'length' && !limited) return 'cut_off';
  return wantsJson && !isJson(text) ? 'wrong_format' : null;
}

export const looksRefused = (text: string): boolean => text.length <= longestRefusal && refusal.test(text.trimStart());

/** How every refusal above begins. */
const openings = ["i'", 'i’', 'i ', 'im ', 'sorry', 'unfortunately', 'as an ai'];
/** After this many characters a refusal has said so. */
const toldBy = 48;

/** While an answer streams in: whether its beginning may still turn out to be a refusal. */
export function mayBeRefusal(beginning: string): boolean {
  const text = squeeze(beginning).toLowerCase();
  if (!openings.some((opening) => text.startsWith(opening) || opening.startsWith(text))) return false;
  return text.length < toldBy || looksRefused(text);
}

function isJson(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
