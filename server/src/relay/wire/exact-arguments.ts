import { parseExactlyBelow } from '../../lib/exact-json.ts';
import type { WireFormat } from './conversation.ts';

/**
 * Anthropic's and Google's members for what tools are called with and answer. The other formats have text there, which
 * is passed on as it is.
 */
const toolMembers = new Set(['input', 'args', 'response']);

/** JSON with the numbers in tools' arguments as they are written: a rounded id names something else. */
export const parseWithArguments = (text: string): unknown => parseExactlyBelow(text, toolMembers);

/** How a body in a format is parsed. */
export const parserOf = (wire: WireFormat): ((text: string) => unknown) =>
  wire === 'messages' || wire === 'gemini' ? parseWithArguments : JSON.parse;
