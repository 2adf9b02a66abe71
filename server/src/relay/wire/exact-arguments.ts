import { ExactPieces, parseExactlyBelow } from '../../lib/exact-json.ts';
import { parseYielding } from '../../lib/parse-yielding.ts';
import type { WireFormat } from './conversation.ts';

/**
 * Anthropic's and Google's members for what tools are called with and answer. The other formats have text there, which
 * is passed on as it is.
 */
const toolMembers = new Set(['input', 'args', 'response']);

/** JSON with the numbers in tools' arguments as they are written: a rounded id names something else. */
export const parseWithArguments = (text: string): unknown => parseExactlyBelow(text, toolMembers);

const hasNumbers = (wire: WireFormat): boolean => wire === 'messages' || wire === 'gemini';

/** How a body in a format is parsed. */
export const parserOf = (wire: WireFormat): ((text: string) => unknown) =>
  hasNumbers(wire) ? parseWithArguments : JSON.parse;

/** The same for a large body, parsed in slices that yield to the event loop. */
export async function parseLargeBody(wire: WireFormat, bytes: Buffer): Promise<unknown> {
  if (!hasNumbers(wire)) return parseYielding(bytes);
  const pieces = new ExactPieces(toolMembers);
  return pieces.whole(await parseYielding(bytes, pieces.parse));
}
