import { CachedLookup } from '../platform/shared/cached-lookup.ts';
import { has, type MemberRole } from './rights.ts';
import { isOrganisationTag, organisationTag, type Room } from './room.ts';
import { standingIn } from './standing.ts';
import { findRole } from './store/members.ts';
import { organisationsOf } from './store/organisations.ts';
import type { OrganisationRow } from './store/tables.ts';

/** An organisation that somebody is in, as rooms see it that keep something for organisations. */
export interface Membership {
  id: number;
  name: string;
  /** The user that stands for the organisation, and has what is the organisation's. */
  accountId: number;
  /** Whether they use what is the organisation's, and whether they look after it. */
  uses: boolean;
  manages: boolean;
}

export type Left = (userId: number, accountId: number) => Promise<void>;

const membershipOf = ({ id, name, account_id }: OrganisationRow, role: string): Membership => ({
  ...{ id, name, accountId: account_id },
  uses: has(role as MemberRole, 'use'),
  manages: has(role as MemberRole, 'manage_tools'),
});

/** Who is in which organisation, for rooms that ask at each request: kept in memory, and thrown out by message. */
export class Memberships {
  /** By organisation and user; who is in none is known too, until it changes. */
  readonly #kept: CachedLookup<{ organisationId: number; uses: boolean }>;
  readonly #left: Left[] = [];

  constructor(private readonly room: Pick<Room, 'db' | 'clock' | 'hearing' | 'announcements'>) {
    const { db, clock, hearing, announcements } = room;
    this.#kept = new CachedLookup({
      ...{ max: 50_000, clock, hearing },
      load: async (place) => {
        const [organisationId, userId] = place.split('/').map(Number) as [number, number];
        const role = await findRole(db, organisationId, userId);
        return { organisationId, uses: role !== null && has(role as MemberRole, 'use') };
      },
      tagsOf: ({ organisationId }) => [organisationTag(organisationId)],
    });
    announcements.onChanged(
      (tag) => this.#kept.invalidate(tag),
      () => this.#kept.clear(),
    );
  }

  /** As they are now: for lists, and for those who look after something. */
  async of(userId: number): Promise<Membership[]> {
    const rows = await organisationsOf(this.room.db, userId);
    return rows.map((row) => membershipOf(row, row.role));
  }

  uses(userId: number, organisationId: number): boolean | Promise<boolean> {
    const found = this.#kept.get(`${organisationId}/${userId}`);
    return found instanceof Promise ? found.then((one) => one?.uses ?? false) : (found?.uses ?? false);
  }

  /** Throws unless the user looks after what the organisation has. */
  async managed(userId: number, organisationId: number): Promise<Membership> {
    const { organisation, role } = await standingIn(this.room.db, organisationId, userId, 'manage_tools');
    return membershipOf(organisation, role);
  }

  /** Whoever was let in may be in no more. */
  onChanged(look: () => void): void {
    this.room.announcements.onChanged((tag) => {
      if (isOrganisationTag(tag)) look();
    }, look);
  }

  /** Declares who is told that somebody has left. */
  onLeft(tell: Left): void {
    this.#left.push(tell);
  }

  left: Left = async (userId, accountId) => {
    for (const tell of this.#left) await tell(userId, accountId);
  };
}
