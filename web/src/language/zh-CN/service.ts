/** The texts of the server, in Chinese. */
import serverAccounts from './server-accounts.ts';
import serverErrors from './server-errors.ts';
import serverFields from './server-fields.ts';
import serverKnowledge from './server-knowledge.ts';
import serverMcp from './server-mcp.ts';
import serverModels from './server-models.ts';
import serverOauth from './server-oauth.ts';
import serverOptions from './server-options.ts';
import serverRouting from './server-routing.ts';
import serverRuns from './server-runs.ts';
import serverScopes from './server-scopes.ts';
import serverTools from './server-tools.ts';
import serverUpstreams from './server-upstreams.ts';
import serverVideos from './server-videos.ts';
import serverZod from './server-zod.ts';

const words = {
  ...serverAccounts,
  ...serverErrors,
  ...serverFields,
  ...serverKnowledge,
  ...serverMcp,
  ...serverModels,
  ...serverOauth,
  ...serverOptions,
  ...serverRouting,
  ...serverRuns,
  ...serverScopes,
  ...serverTools,
  ...serverUpstreams,
  ...serverVideos,
  ...serverZod,
} as const;

export default words;
