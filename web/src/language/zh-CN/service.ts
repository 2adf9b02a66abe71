/** What the service says, in Chinese. */
import serverErrors from './server-errors.ts';
import serverOptions from './server-options.ts';
import serverRouting from './server-routing.ts';
import serverScopes from './server-scopes.ts';

const words = {
  ...serverErrors,
  ...serverOptions,
  ...serverRouting,
  ...serverScopes,
} as const;

export default words;
