import { invalidatedLookup } from '../identity/announcements.ts';
import type { Membership } from '../identity/membership.ts';
import { thenMaybe } from '../lib/maybe-promise.ts';
import type { CachedLookup } from '../platform/shared/cached-lookup.ts';
import { isOrganisationTag, type OrganisationsContext, organisationTag } from './context.ts';
import { requireMembership } from './membership.ts';
import { enabled, has } from './rights.ts';
import { findMembership, type OrganisationOf, organisationsOf } from './store/organisations.ts';
import type { OrganisationRow } from './store/tables.ts';

export type Left = (userId: number, accountId: number) => Promise<void>;

/** Disabling an organisation stops its use; its managers can still manage it. */
const mayUse = ({ role, account_status }: OrganisationOf): boolean => account_status === enabled && has(role, 'use');

type Named = Pick<Membership, 'id' | 'name' | 'accountId'>;
const namedOf = ({ id, name, account_id }: OrganisationRow): Named => ({ id, name, accountId: account_id });

/** Who is in which organisation, for rooms that check on each request: cached, and invalidated by message. */
export class Memberships {
  /** By organisation and user; absence is cached, too. */
  readonly #kept: CachedLookup<{ organisationId: number; accountId: number | null; uses: boolean }>;
  readonly #left: Left[] = [];

  constructor(private readonly room: Pick<OrganisationsContext, 'db' | 'clock' | 'cacheSync' | 'announcements'>) {
    this.#kept = invalidatedLookup({
      ...room,
      max: 50_000,
      load: async (place) => {
        const [organisationId, userId] = place.split('/').map(Number) as [number, number];
        const found = await findMembership(room.db, organisationId, userId);
        return { organisationId, accountId: found?.account_id ?? null, uses: found !== null && mayUse(found) };
      },
      tagsOf: ({ organisationId, accountId }) => [organisationTag(organisationId), `user:${accountId}`],
    });
  }

  /** Uncached: for lists and for managing. */
  async of(userId: number): Promise<Membership[]> {
    const rows = await organisationsOf(this.room.db, userId);
    return rows.map((row) => ({ ...namedOf(row), uses: mayUse(row), manages: has(row.role, 'manage_tools') }));
  }

  uses(userId: number, organisationId: number): boolean | Promise<boolean> {
    return thenMaybe(this.#kept.get(`${organisationId}/${userId}`), (found) => found?.uses ?? false);
  }

  /** Throws unless the user manages the organisation. */
  async managed(userId: number, organisationId: number): Promise<Named> {
    return namedOf((await requireMembership(this.room.db, organisationId, userId, 'manage_tools')).organisation);
  }

  /** Called when a membership may have ended. */
  onChanged(look: () => void): void {
    this.room.announcements.onChanged((tag) => {
      if (isOrganisationTag(tag)) look();
    }, look);
  }

  /** Registers who is notified when a member leaves. */
  onLeft(tell: Left): void {
    this.#left.push(tell);
  }

  left: Left = async (userId, accountId) => {
    for (const tell of this.#left) await tell(userId, accountId);
  };
}
