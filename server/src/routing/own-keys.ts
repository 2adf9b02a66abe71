import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Credential } from './candidate.ts';
import { HeldByUser } from './held-by-user.ts';
import * as store from './store/own-keys.ts';

/** A key of a user's own, ready for use. */
export interface OwnKey {
  provider: string;
  credential: Credential;
  /** Others may be asked, at their price, where this key does not help. */
  fallback: boolean;
}

type OwnKeyInput = Omit<store.OwnKeyFields, 'sealed'> & { credential: string };

export interface OwnKeys {
  /** Those that may be used now. Known users are answered without waiting. */
  get(userId: number): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  list(userId: number): Promise<store.OwnKeyRecord[]>;
  add(userId: number, input: OwnKeyInput): Promise<store.OwnKeyRecord>;
  /** Fields not given stay. */
  change(userId: number, id: number, given: Partial<Omit<OwnKeyInput, 'provider'>>): Promise<store.OwnKeyRecord>;
  remove(userId: number, id: number): Promise<void>;
  close(): Promise<void>;
}

interface OwnKeysDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  hearing: Hearing;
  sealer: Sealer;
  /** Whether users may have any at all. */
  allowed(): boolean;
  onTrouble(message: string, error: unknown): void;
}

const channel = 'routing:own-keys';
const enabled = 1;
/** Each is looked through with every request of its user. */
const most = 20;
const none: readonly OwnKey[] = Object.freeze([]);

class StoredOwnKeys implements OwnKeys {
  readonly #held: HeldByUser<readonly OwnKey[]>;

  constructor(readonly deps: OwnKeysDeps) {
    const { clock, shared, hearing } = deps;
    this.#held = new HeldByUser({ clock, shared, hearing, channel, load: (userId) => this.#load(userId) });
  }

  subscribe(): Promise<void> {
    return this.#held.subscribe();
  }

  get(userId: number): readonly OwnKey[] | Promise<readonly OwnKey[]> {
    return this.deps.allowed() ? this.#held.get(userId) : none;
  }

  list(userId: number): Promise<store.OwnKeyRecord[]> {
    return store.listOwnKeys(this.deps.db, userId);
  }

  async add(userId: number, { credential, ...fields }: OwnKeyInput): Promise<store.OwnKeyRecord> {
    const { db, clock, sealer } = this.deps;
    if ((await this.list(userId)).length >= most)
      throw new AppError('conflict', `You have ${most} keys of your own already, and cannot have more.`);
    const given = { ...fields, sealed: sealer.seal(credential) };
    const added = await store.insertOwnKey(db, userId, given, nowSeconds(clock));
    await this.#held.changed(userId);
    return added;
  }

  async change(userId: number, id: number, { credential, ...given }: Partial<Omit<OwnKeyInput, 'provider'>>) {
    const { db, clock, sealer } = this.deps;
    const sealed = credential === undefined ? undefined : sealer.seal(credential);
    const changed = await store.updateOwnKey(db, userId, id, { ...given, sealed }, nowSeconds(clock));
    if (!changed) throw notFound(id);
    await this.#held.changed(userId);
    return changed;
  }

  async remove(userId: number, id: number): Promise<void> {
    if (!(await store.deleteOwnKey(this.deps.db, userId, id))) throw notFound(id);
    await this.#held.changed(userId);
  }

  close(): Promise<void> {
    return this.#held.close();
  }

  async #load(userId: number): Promise<readonly OwnKey[]> {
    const records = await store.listOwnKeys(this.deps.db, userId);
    const usable = records.filter(({ status }) => status === enabled).flatMap((record) => this.#opened(record));
    return usable.length === 0 ? none : usable;
  }

  #opened({ id, userId, provider, sealed, fallback }: store.OwnKeyRecord): OwnKey[] {
    try {
      const secret = this.deps.sealer.open(sealed);
      return [{ provider, fallback, credential: { id, secret, weight: 1, limits: null } }];
    } catch (error) {
      this.deps.onTrouble(`own key ${id} of user ${userId} is left out: it cannot be opened`, error);
      return [];
    }
  }
}

const notFound = (id: number): AppError => new AppError('not_found', `You have no key ${id}.`);

export async function openOwnKeys(deps: OwnKeysDeps): Promise<OwnKeys> {
  const keys = new StoredOwnKeys(deps);
  await keys.subscribe();
  return keys;
}
