/** Runs in a thread: loading the vocabulary takes half a second, and counting a page a millisecond. */
import { parentPort } from 'node:worker_threads';
import type { Question, Reply } from './tokens.ts';

/** Runs of letters or blanks without a break take quadratic time, so long ones are split. */
const longestRun = 64;
const hasLongRun = /\S{65}|\s{65}/u;

function piecesOf(text: string): string[] {
  if (!hasLongRun.test(text)) return [text];
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + longestRun);
    // Never between the halves of a surrogate pair.
    if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

const vocabulary = () => import('gpt-tokenizer/encoding/o200k_base');
// Text that spells a special token is plain text; without this the tokenizer throws.
const plain = { disallowedSpecial: new Set<string>() };

async function answer(question: Question): Promise<Reply> {
  const { encode, decode, countTokens } = await vocabulary();
  const { id } = question;
  if ('joined' in question) {
    let at = 0;
    const sizeOf = (length: number): number => {
      const text = question.joined.slice(at, at + length);
      at += length;
      return piecesOf(text).reduce((total, piece) => total + countTokens(piece, plain), 0);
    };
    return { id, counts: question.lengths.map(sizeOf) };
  }
  const { text, limit } = question;
  const tokens = piecesOf(text).flatMap((piece) => encode(piece, plain));
  if (tokens.length <= limit) return { id, text, cut: false, tokens: tokens.length };
  const kept = decode(tokens.slice(0, limit));
  // A cut inside a multi-byte character leaves replacement characters at the end.
  let end = kept.length;
  while (end > 0 && kept[end - 1] === '\uFFFD') end -= 1;
  return { id, text: kept.slice(0, end), cut: true, tokens: limit };
}

parentPort!.on('message', async (question: Question) => parentPort!.postMessage(await answer(question)));
