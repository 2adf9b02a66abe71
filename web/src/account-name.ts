import { t } from './language/words.ts';
import type { User } from './session.ts';

type Named = Pick<User, 'username' | 'display_name'>;

/** An organisation's account. It has no login, and its username is a form that user accounts cannot have. */
export const isOrganisation = ({ username }: Pick<User, 'username'>): boolean => username.startsWith('organisation:');

/** Display name of an account, where users are shown by username. */
export const calledOf = (user: Named): string => (isOrganisation(user) ? user.display_name : user.username);

/** Secondary line, shown below the display name. */
export const kindOf = (user: Named): string => (isOrganisation(user) ? t('Organisation') : user.username);
