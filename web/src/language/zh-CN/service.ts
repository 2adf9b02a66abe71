/** What the service says, in Chinese. */
import serverOptions from './server-options.ts';
import serverScopes from './server-scopes.ts';

const words = {
  ...serverOptions,
  ...serverScopes,
} as const;

export default words;
