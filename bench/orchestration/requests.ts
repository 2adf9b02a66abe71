import { type Difficulty, difficulties } from '../../server/src/orchestra/params.ts';
import type { Kind } from '../../server/src/orchestra/patterns.ts';
import { between, normal, pickOf, randomOf, weighted } from '../kit/random.ts';
import { things, wordings } from './wordings.ts';
import type { World } from './world.ts';

/** One piece of work: the text, and its real difficulty, which only the simulated models know. */
export interface Piece {
  id: string;
  kind: Kind;
  /** The real difficulty. */
  level: Difficulty;
  /** The skill it requires. */
  toughness: number;
  text: string;
  answerTokens: number;
}

export interface Request {
  id: string;
  text: string;
  pieces: Piece[];
}

/** The average skill each difficulty requires, and the deviation of single tasks. */
const centre: Record<Difficulty, number> = { easy: 0.2, medium: 0.5, hard: 0.8 };
const deviation = 0.08;
/** Average answer length in tokens; harder work has longer answers. */
const answerTokens: Record<Difficulty, number> = { easy: 200, medium: 400, hard: 600 };
/** Share of requests that ask for several things at once. */
const severalShare = 0.12;

export function requestsOf(world: World, count: number): Request[] {
  return Array.from({ length: count }, (_, i) => {
    const random = randomOf(world.seed, 'request', i);
    const id = `q${String(i).padStart(4, '0')}`;
    if (random() >= severalShare) {
      const piece = pieceOf(world, id, random);
      return { id, text: piece.text, pieces: [piece] };
    }
    const pieces = Array.from({ length: 2 + Math.floor(random() * 4) }, (_, n) =>
      pieceOf(world, id + 'abcde'[n]!, random),
    );
    const text = `Please do all of this:\n${pieces.map((piece, n) => `${n + 1}. ${piece.text}`).join('\n')}`;
    return { id, text, pieces };
  });
}

function pieceOf(world: World, id: string, random: () => number): Piece {
  const kind = weighted(world.kinds, random);
  const level = weighted(world.levels, random);
  // The wording misleads about the difficulty with the world's probability: what sounds simple may not be.
  const worded = random() < world.misleading ? neighbour(level, random) : level;
  const wording = pickOf(wordings[kind][worded], random);
  const text = `${wording.replace('{x}', pickOf(things, random)).replace('{y}', pickOf(things, random))} (${id})`;
  return {
    id,
    kind,
    level,
    toughness: centre[level] + normal(deviation, random),
    text,
    answerTokens: Math.round(answerTokens[level] * between(0.5, 1.5, random)),
  };
}

export function neighbour(level: Difficulty, random: () => number): Difficulty {
  if (level === 'medium') return random() < 0.5 ? 'easy' : 'hard';
  const at = difficulties.indexOf(level);
  return difficulties[at === 0 ? 1 : at - 1]!;
}
