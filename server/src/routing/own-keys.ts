import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';
import { CachedById } from './cached-by-id.ts';
import type { Credential } from './candidate.ts';
import * as store from './store/own-keys.ts';

/** A user's or a team's own key, ready for use. */
export interface OwnKey {
  provider: string;
  credential: Credential;
  /** A team's, in the hands of a member, who cannot see it: for models only, not for what else it opens. */
  entrusted?: true;
  /** If the key does not work, the operator's keys may be used at their price. */
  fallback: boolean;
}

export type OwnKeyInput = Omit<store.OwnKeyFields, 'sealed'> & { credential: string };
type OwnKeyChange = Partial<Omit<OwnKeyInput, 'provider'>>;

/** Who makes the request. */
interface Asking {
  userId: number;
  /** The API key of the request. */
  keyId?: number | null;
}

export interface OwnKeys {
  /**
   * The keys that may be used now. Requests for a team use the team's keys, and the member's own for providers the team
   * has none for. Synchronous if they are cached.
   */
  for(asking: Asking): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  list(owner: store.OwnKeyOwner): Promise<store.OwnKeyRecord[]>;
  /** `hold` locks the owner until the key is inserted; it throws if the owner no longer exists. */
  add(owner: store.OwnKeyOwner, input: OwnKeyInput, hold?: (tx: Db) => Promise<void>): Promise<store.OwnKeyRecord>;
  /** Fields that are not given stay. */
  change(owner: store.OwnKeyOwner, id: number, given: OwnKeyChange): Promise<store.OwnKeyRecord>;
  remove(owner: store.OwnKeyOwner, id: number): Promise<void>;
  close(): Promise<void>;
}

interface OwnKeysDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  cacheSync: CacheSync;
  sealer: Sealer;
  /** Whether the service allows such keys at all. */
  allowed(): boolean;
  /** The team that requests with an API key belong to; null if they only belong to the user. */
  teamOf?: ((keyId: number) => number | null | Promise<number | null>) | undefined;
  isMembers?: ((keyId: number) => boolean | Promise<boolean>) | undefined;
  /** Whether an API key of the user is what an application may spend: it has a limit, and these keys have none. */
  isAllowance?: IsAllowance | undefined;
  onTrouble(message: string, error: unknown): void;
}

export type IsAllowance = (userId: number, keyId: number) => boolean | Promise<boolean>;

const channels = { users: 'routing:own-keys', teams: 'routing:team-keys' };
const enabled = 1;
/** All of them are checked on every request of their owner. */
const most = 20;
const none: readonly OwnKey[] = Object.freeze([]);

class StoredOwnKeys implements OwnKeys {
  readonly #ofUsers: CachedById<readonly OwnKey[]>;
  readonly #ofTeams: CachedById<readonly OwnKey[]>;

  constructor(readonly deps: OwnKeysDeps) {
    const { clock, shared, cacheSync } = deps;
    const held = { clock, shared, cacheSync };
    this.#ofUsers = new CachedById({ ...held, channel: channels.users, load: (userId) => this.#load({ userId }) });
    this.#ofTeams = new CachedById({ ...held, channel: channels.teams, load: (teamId) => this.#load({ teamId }) });
  }

  async subscribe(): Promise<void> {
    await this.#ofUsers.subscribe();
    await this.#ofTeams.subscribe();
  }

  for({ userId, keyId = null }: Asking): readonly OwnKey[] | Promise<readonly OwnKey[]> {
    if (!this.deps.allowed()) return none;
    // First, because it throws for an API key that is no longer valid.
    const teamId = keyId === null ? null : (this.deps.teamOf?.(keyId) ?? null);
    const ofUser = this.#ofUsers.get(userId);
    const all = teamId === null ? ofUser : this.#withTeams(keyId!, teamId, ofUser);
    return keyId === null ? all : thenMaybe(all, (keys) => this.#forKey(keys, userId, keyId));
  }

  #inHandsOf(keyId: number, keys: readonly OwnKey[]): readonly OwnKey[] | Promise<readonly OwnKey[]> {
    if (keys.length === 0) return keys;
    const isMembers = this.deps.isMembers?.(keyId) ?? false;
    return thenMaybe(isMembers, (is) => (is ? keys.map((key) => ({ ...key, entrusted: true as const })) : keys));
  }

  #forKey(keys: readonly OwnKey[], userId: number, keyId: number): readonly OwnKey[] | Promise<readonly OwnKey[]> {
    if (keys.length === 0) return keys;
    return thenMaybe(this.deps.isAllowance?.(userId, keyId) ?? false, (isAllowance) => (isAllowance ? none : keys));
  }

  #withTeams(
    keyId: number,
    teamId: number | Promise<number | null>,
    ofUser: readonly OwnKey[] | Promise<readonly OwnKey[]>,
  ): readonly OwnKey[] | Promise<readonly OwnKey[]> {
    const kept = thenMaybe(teamId, (found) => (found === null ? none : this.#ofTeams.get(found)));
    const ofTeam = thenMaybe(kept, (keys) => this.#inHandsOf(keyId, keys));
    if (!(ofTeam instanceof Promise || ofUser instanceof Promise)) return keysForTeam(ofTeam, ofUser);
    return Promise.all([ofTeam, ofUser]).then(([team, user]) => keysForTeam(team, user));
  }

  list(owner: store.OwnKeyOwner): Promise<store.OwnKeyRecord[]> {
    return store.listOwnKeys(this.deps.db, owner);
  }

  async add(
    owner: store.OwnKeyOwner,
    { credential, ...fields }: OwnKeyInput,
    hold?: (tx: Db) => Promise<void>,
  ): Promise<store.OwnKeyRecord> {
    const { db, clock, sealer } = this.deps;
    const given = { ...fields, sealed: sealer.seal(credential) };
    const added = await db.transaction().execute(async (tx) => {
      await hold?.(tx);
      return store.insertOwnKey(tx, owner, given, { most, now: nowSeconds(clock) });
    });
    if (!added) throw new AppError('conflict', `The limit of ${most} keys is reached.`);
    await this.#changed(owner);
    return added;
  }

  async change(owner: store.OwnKeyOwner, id: number, { credential, ...given }: OwnKeyChange) {
    const { db, clock, sealer } = this.deps;
    const sealed = credential === undefined ? undefined : sealer.seal(credential);
    const changed = await store.updateOwnKey(db, owner, id, { ...given, sealed }, nowSeconds(clock));
    if (!changed) throw noOwnKey(id);
    await this.#changed(owner);
    return changed;
  }

  async remove(owner: store.OwnKeyOwner, id: number): Promise<void> {
    if (!(await store.deleteOwnKey(this.deps.db, owner, id))) throw noOwnKey(id);
    await this.#changed(owner);
  }

  async close(): Promise<void> {
    await this.#ofUsers.close();
    await this.#ofTeams.close();
  }

  #changed(owner: store.OwnKeyOwner): Promise<void> {
    return 'teamId' in owner ? this.#ofTeams.changed(owner.teamId) : this.#ofUsers.changed(owner.userId);
  }

  async #load(owner: store.OwnKeyOwner): Promise<readonly OwnKey[]> {
    const records = await store.listOwnKeys(this.deps.db, owner);
    const usable = records.filter(({ status }) => status === enabled).flatMap((record) => this.#opened(record));
    return usable.length === 0 ? none : usable;
  }

  #opened({ id, provider, sealed, fallback }: store.OwnKeyRecord): OwnKey[] {
    try {
      const secret = this.deps.sealer.open(sealed);
      return [{ provider, fallback, credential: { id, secret, first: false, weight: 1, limits: null } }];
    } catch (error) {
      this.deps.onTrouble(`own key ${id} is skipped: it cannot be decrypted`, error);
      return [];
    }
  }
}

const noOwnKey = (id: number): AppError => new AppError('not_found', `There is no key ${id}.`);

export async function openOwnKeys(deps: OwnKeysDeps): Promise<OwnKeys> {
  const keys = new StoredOwnKeys(deps);
  await keys.subscribe();
  return keys;
}

function keysForTeam(ofTeam: readonly OwnKey[], ofUser: readonly OwnKey[]): readonly OwnKey[] {
  if (ofTeam.length === 0) return ofUser;
  if (ofUser.length === 0) return ofTeam;
  const provided = new Set(ofTeam.map(({ provider }) => provider));
  return [...ofTeam, ...ofUser.filter(({ provider }) => !provided.has(provider))];
}
