import { t } from './language/words.ts';
import type { User } from './session.ts';

type Named = Pick<User, 'username' | 'display_name'>;

/** The account of an organisation: nobody logs in to it, and its username is a mark that no person can have. */
export const isOrganisation = ({ username }: Pick<User, 'username'>): boolean => username.startsWith('organisation:');

/** What an account is called where people are called by their username. */
export const calledOf = (user: Named): string => (isOrganisation(user) ? user.display_name : user.username);

/** Below the name that is shown first. */
export const kindOf = (user: Named): string => (isOrganisation(user) ? t('Organisation') : user.username);
