import type { Db } from '../../platform/db/tables.ts';
import { loadBits } from '../store/vectors.ts';
import { hamming, signBits, toWords } from './vectors.ts';

/** Finds the documents nearest in meaning. Holds only signs in memory: 100,000 vectors of 1,536 numbers are 19 MB. */
export interface NearIndex {
  near(db: Db, userId: number, model: string, query: Float32Array, limit: number): Promise<number[]>;
  /** Documents from all over, to see how near those are that have nothing to do with the query. */
  sample(db: Db, userId: number, model: string, query: Float32Array, count: number): Promise<number[]>;
  /** After deletions: what is gone would else push out what is there. */
  forget(userId: number): void;
}

interface Shelf {
  userId: number;
  lastId: number;
  /** Ids of the vectors held. */
  known: Set<number>;
  documents: number[];
  /** `width` words per document. */
  words: Uint32Array;
  width: number;
}

/** All shelves together, in 32-bit words; the least recently used goes first. */
const mostWords = 32 * 1024 * 1024;
/** In PostgreSQL a lower id may become visible after a higher one: the last few are looked at again. */
const overlap = 100;
/** Rows taken per read, so that no single one holds up the streams. */
const batch = 5000;

export function nearIndex(): NearIndex {
  const shelves = new Map<string, Shelf>();

  const shelfOf = async (db: Db, userId: number, model: string, width: number): Promise<Shelf> => {
    const key = `${userId}|${width}|${model}`;
    const shelf = shelves.get(key) ?? {
      userId,
      lastId: 0,
      known: new Set<number>(),
      documents: [],
      words: new Uint32Array(0),
      width,
    };
    // Last used, last to go.
    shelves.delete(key);
    shelves.set(key, shelf);
    await fill(db, shelf, model);
    evict(shelves);
    return shelf;
  };

  return {
    async near(db, userId, model, query, limit) {
      const wanted = toWords(signBits(query));
      const shelf = await shelfOf(db, userId, model, wanted.length);
      return closest(shelf, wanted, limit);
    },
    async sample(db, userId, model, query, count) {
      const { documents } = await shelfOf(db, userId, model, toWords(signBits(query)).length);
      const step = Math.max(1, documents.length / count);
      const size = Math.min(count, documents.length);
      return Array.from({ length: size }, (_, i) => documents[Math.floor(i * step)]!);
    },
    forget(userId) {
      for (const [key, shelf] of shelves) if (shelf.userId === userId) shelves.delete(key);
    },
  };
}

async function fill(db: Db, shelf: Shelf, model: string): Promise<void> {
  for (;;) {
    const rows = await loadBits(db, shelf.userId, model, Math.max(0, shelf.lastId - overlap), batch);
    const fresh = rows.filter((row) => !shelf.known.has(row.id) && row.bits.length === shelf.width * 4);
    const needed = (shelf.documents.length + fresh.length) * shelf.width;
    if (needed > shelf.words.length) {
      const larger = new Uint32Array(Math.ceil(needed * 1.5));
      larger.set(shelf.words);
      shelf.words = larger;
    }
    for (const { id, bits, document_id } of fresh) {
      shelf.known.add(id);
      shelf.words.set(toWords(bits), shelf.documents.length * shelf.width);
      shelf.documents.push(document_id);
    }
    shelf.lastId = Math.max(shelf.lastId, rows.at(-1)?.id ?? 0);
    if (rows.length < batch) return;
    await new Promise(setImmediate);
  }
}

function evict(shelves: Map<string, Shelf>): void {
  let total = [...shelves.values()].reduce((sum, { words }) => sum + words.length, 0);
  for (const [key, shelf] of shelves) {
    if (total <= mostWords || shelves.size === 1) return;
    shelves.delete(key);
    total -= shelf.words.length;
  }
}

/** The fewest differing bits: counted per distance, so that no sorting of everything is needed. */
function closest({ documents, words, width }: Shelf, query: Uint32Array, limit: number): number[] {
  const distances = new Uint16Array(documents.length);
  const histogram = new Uint32Array(width * 32 + 1);
  for (let i = 0; i < documents.length; i++) {
    const distance = hamming(query, words, i * width);
    distances[i] = distance;
    histogram[distance]!++;
  }
  let cutoff = 0;
  for (let seen = histogram[0]!; cutoff < histogram.length - 1 && seen < limit; ) seen += histogram[++cutoff]!;
  const found: { id: number; distance: number }[] = [];
  for (let i = 0; i < documents.length; i++) {
    if (distances[i]! <= cutoff) found.push({ id: documents[i]!, distance: distances[i]! });
  }
  return found
    .sort((a, b) => a.distance - b.distance || b.id - a.id)
    .slice(0, limit)
    .map(({ id }) => id);
}
