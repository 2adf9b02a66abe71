/** What the service says, in Chinese. */
import serverOptions from './server-options.ts';
import serverRouting from './server-routing.ts';
import serverScopes from './server-scopes.ts';

const words = {
  ...serverOptions,
  ...serverRouting,
  ...serverScopes,
} as const;

export default words;
