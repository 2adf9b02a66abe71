import { refuseHeavy } from '../../lib/json-shape.ts';
import { parseYielding } from '../../lib/parse-yielding.ts';

/**
 * What a client sent through a socket, as JSON; undefined if it is none. Throws for shapes that take long: whatever is
 * done with the message afterwards is not done in pieces.
 */
export async function readMessage(text: string): Promise<unknown> {
  const bytes = Buffer.from(text);
  await refuseHeavy(bytes);
  return parseYielding(bytes).catch(() => undefined);
}
