import { AnswerTooLarge, answerLimits, collectBytes, textOf, withoutByteOrderMark } from '../../lib/collect-bytes.ts';
import { parseYielding } from '../../lib/parse-yielding.ts';

/** The whole answer as text; throws if it is larger than the limit. */
export async function readAnswer(response: Response, mostBytes: number): Promise<string> {
  const { text, whole } = await readUpTo(response, mostBytes);
  if (!whole) throw new AnswerTooLarge(mostBytes);
  return text;
}

/** The text of an error answer; the status says enough, so a long text is cut. */
export const readRefusal = async (response: Response): Promise<string> =>
  (await readUpTo(response, answerLimits.refusal)).text;

/** The JSON of an answer, parsed without blocking the event loop. Throws SyntaxError if it is invalid. */
export async function readJsonAnswer(response: Response, mostBytes: number): Promise<unknown> {
  const { bytes, whole } = await readBytes(response, mostBytes);
  if (!whole) throw new AnswerTooLarge(mostBytes);
  return parseYielding(withoutByteOrderMark(bytes));
}

async function readUpTo(response: Response, mostBytes: number): Promise<{ text: string; whole: boolean }> {
  const { bytes, whole } = await readBytes(response, mostBytes);
  return { text: textOf(bytes), whole };
}

async function readBytes({ body }: Response, mostBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
  if (!body) return { bytes: Buffer.alloc(0), whole: true };
  const reader = body.getReader();
  const { bytes, whole } = await collectBytes(async () => (await reader.read()).value ?? null, mostBytes);
  if (!whole) reader.cancel().catch(() => {});
  return { bytes, whole };
}
