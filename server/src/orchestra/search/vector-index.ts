import type { Db } from '../../platform/db/tables.ts';
import type { Owners } from '../../platform/durable/owners.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { loadBits, vectorsOf } from '../store/vectors.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { baselineOf, type SimilarityBaseline } from './similarity-baseline.ts';
import { dot, hamming, signBits, toWords } from './vectors.ts';

/**
 * Finds the documents with the most similar vectors. Keeps only sign bits in memory: 100,000 vectors of 1,536 numbers
 * take 19 MB.
 */
export interface VectorIndex {
  near(
    db: Db,
    userId: number,
    model: string,
    query: Float32Array,
    limit: number,
    isWanted?: (documentId: number) => boolean,
  ): Promise<number[]>;
  /** How similar a sample of all documents is to the query, as a baseline for chance. */
  noise(db: Db, userId: number, model: string, query: Float32Array): Promise<SimilarityBaseline>;
  /**
   * Drops the cache after deletions; otherwise deleted documents would displace existing ones. Without a user, drops
   * all.
   */
  forget(userId?: number): void;
}

interface Shelf {
  userId: number;
  lastId: number;
  /** The highest ids that were read, in order; as many as are read again. */
  latest: number[];
  /** Ids of the vectors already loaded. */
  known: Set<number>;
  documents: number[];
  /** `width` words per document. */
  words: Uint32Array;
  width: number;
  /** Vectors of a sample of all documents, and how many documents there were when it was taken. */
  sample: Float32Array[];
  sampledOf: number;
  /** Resolves when the load in progress has finished. */
  filled: Promise<unknown>;
}

const channel = 'orchestra:near';

/** Broadcasts invalidations to all processes; if a message may have been missed, the whole cache is dropped. */
export function sharedVectorIndex(
  shared: Pick<Shared, 'publish' | 'subscribe'>,
  owners: Pick<Owners, 'onAllHeard'>,
  warn: (message: string, error: unknown) => void,
): VectorIndex {
  const near = newVectorIndex();
  const forgetAll = () => near.forget();
  owners.onAllHeard(forgetAll);
  shared
    .subscribe(channel, (userId) => near.forget(Number(userId)), forgetAll)
    .catch((error) => warn('deletions by other processes are not received', error));
  return {
    ...near,
    forget(userId) {
      near.forget(userId);
      // A process that misses the message learns later that it missed one, and drops everything.
      if (userId !== undefined) void shared.publish(channel, `${userId}`).catch(() => {});
    },
  };
}

/** Limit for all shelves together, in 32-bit words; the least recently used one is evicted first. */
const mostWords = 32 * 1024 * 1024;
/**
 * In PostgreSQL a lower id may become visible after a higher one: the user's last rows are read again. Ids in between may
 * be other users', hundreds of them.
 */
const overlap = 100;
/** Rows per read, so that a single read does not block streams. */
const batch = 1000;

export function newVectorIndex(): VectorIndex {
  const shelves = new Map<string, Shelf>();

  const shelfOf = async (db: Db, userId: number, model: string, width: number): Promise<Shelf> => {
    const key = `${userId}|${width}|${model}`;
    const shelf = shelves.get(key) ?? {
      userId,
      lastId: 0,
      latest: [],
      known: new Set<number>(),
      documents: [],
      words: new Uint32Array(0),
      width,
      sample: [],
      sampledOf: 0,
      filled: Promise.resolve(),
    };
    // Move it to the end: the map is in LRU order.
    shelves.delete(key);
    shelves.set(key, shelf);
    // Loads run one after another, so that the second does not read the same rows again.
    const filling = shelf.filled.then(() => fill(db, shelf, model));
    shelf.filled = filling.catch(() => {});
    await filling;
    evict(shelves);
    return shelf;
  };

  return {
    async near(db, userId, model, query, limit, isWanted = () => true) {
      const wanted = toWords(signBits(query));
      const shelf = await shelfOf(db, userId, model, wanted.length);
      return closest(shelf, wanted, limit, isWanted);
    },
    async noise(db, userId, model, query) {
      const shelf = await shelfOf(db, userId, model, toWords(signBits(query)).length);
      await takeSample(db, shelf, model);
      return baselineOf(shelf.sample.map((vector) => dot(query, vector)));
    },
    forget(userId) {
      for (const [key, shelf] of shelves) if (userId === undefined || shelf.userId === userId) shelves.delete(key);
    },
  };
}

async function fill(db: Db, shelf: Shelf, model: string): Promise<void> {
  for (;;) {
    const rows = await loadBits(db, shelf.userId, model, readFrom(shelf), batch);
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
    const ids = new Set([...shelf.latest, ...rows.map(({ id }) => id)]);
    shelf.latest = [...ids].sort((a, b) => a - b).slice(-overlap);
    shelf.lastId = Math.max(shelf.lastId, rows.at(-1)?.id ?? 0);
    if (rows.length < batch) return;
    await yieldToEventLoop();
  }
}

const readFrom = ({ latest, lastId }: Shelf): number =>
  Math.max(0, Math.min(lastId - overlap, latest.length < overlap ? 0 : latest[0]! - 1));

/** Size of the sample that measures similarity by chance. */
const sampled = 400;
/** The sample is renewed when the number of documents has grown by this factor. */
const outgrown = 1.1;

async function takeSample(db: Db, shelf: Shelf, model: string): Promise<void> {
  const { documents, userId } = shelf;
  if (documents.length <= shelf.sampledOf * outgrown) return;
  const step = Math.max(1, documents.length / sampled);
  const size = Math.min(sampled, documents.length);
  const ids = Array.from({ length: size }, (_, i) => documents[Math.floor(i * step)]!);
  const sampledOf = documents.length;
  const vectors = await vectorsOf(db, userId, model, ids);
  Object.assign(shelf, { sample: [...vectors.values()], sampledOf });
}

const sizeOf = ({ words, sample }: Shelf): number => words.length + sample.length * (sample[0]?.length ?? 0);

function evict(shelves: Map<string, Shelf>): void {
  let total = [...shelves.values()].reduce((sum, shelf) => sum + sizeOf(shelf), 0);
  for (const [key, shelf] of shelves) {
    if (total <= mostWords || shelves.size === 1) return;
    shelves.delete(key);
    total -= sizeOf(shelf);
  }
}

/** Words compared before yielding to other requests: about a millisecond. */
const sliceWords = 256 * 1024;
/** More than the bits of any vector. */
const unwanted = 0xffff;

/** Documents with the fewest differing bits. A histogram of the distances avoids sorting all of them. */
async function closest(
  shelf: Shelf,
  query: Uint32Array,
  limit: number,
  isWanted: (documentId: number) => boolean,
): Promise<number[]> {
  // Work on a snapshot: a concurrent load only appends, or replaces the array with a larger one.
  const { words, width } = shelf;
  const documents = shelf.documents.slice();
  const distances = new Uint16Array(documents.length);
  const histogram = new Uint32Array(width * 32 + 1);
  const slice = Math.max(1, Math.floor(sliceWords / Math.max(1, width)));
  for (let i = 0; i < documents.length; i++) {
    if (i > 0 && i % slice === 0) await yieldToEventLoop();
    const distance = isWanted(documents[i]!) ? hamming(query, words, i * width) : unwanted;
    distances[i] = distance;
    if (distance !== unwanted) histogram[distance]!++;
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
