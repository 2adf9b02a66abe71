import type { useUserActs } from '../admin-users/user-acts.tsx';
import type { Person } from '../admin-users/users-queries.ts';

/** Props shared by all sections of a user's page. */
export interface PartProps {
  person: Person;
  acts: ReturnType<typeof useUserActs>;
}
