import type { useUserActs } from '../admin-users/user-acts.tsx';
import type { Person } from '../admin-users/users-queries.ts';

/** What each part of a person's page is given. */
export interface PartProps {
  person: Person;
  acts: ReturnType<typeof useUserActs>;
}
