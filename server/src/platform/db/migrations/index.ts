import type { Migration } from '../migration.ts';
import { migration as identity } from './0001-identity.ts';
import { migration as durable } from './0002-durable.ts';
import { migration as billing } from './0003-billing.ts';
import { migration as routing } from './0004-routing.ts';
import { migration as oauth } from './0005-oauth.ts';
import { migration as orchestra } from './0006-orchestra.ts';
import { migration as video } from './0007-video.ts';
import { migration as allotments } from './0008-purses.ts';
import { migration as unembedded } from './0009-unembedded.ts';
import { migration as mute } from './0010-mute.ts';
import { migration as versions } from './0011-versions.ts';
import { migration as lists } from './0012-lists.ts';
import { migration as found } from './0013-found.ts';
import { migration as turns } from './0014-turns.ts';
import { migration as quotes } from './0015-quotes.ts';
import { migration as sources } from './0016-sources.ts';
import { migration as runTools } from './0017-run-tools.ts';
import { migration as mcp } from './0018-mcp.ts';
import { migration as responses } from './0019-responses.ts';
import { migration as batches } from './0020-batches.ts';
import { migration as keptAnswers } from './0021-kept-answers.ts';
import { migration as totals } from './0022-totals.ts';
import { migration as openid } from './0023-openid.ts';
import { migration as signIn } from './0024-sign-in.ts';
import { migration as factors } from './0025-factors.ts';
import { migration as devices } from './0026-devices.ts';
import { migration as registration } from './0027-registration.ts';
import { migration as acting } from './0028-acting.ts';
import { migration as mcpFront } from './0029-mcp-front.ts';
import { migration as keptContents } from './0030-kept-contents.ts';
import { migration as mcpLimits } from './0032-mcp-limits.ts';
import { migration as organisations } from './0033-organisations.ts';
import { migration as credentials } from './0034-credentials.ts';
import { migration as topUps } from './0035-top-ups.ts';
import { migration as failures } from './0036-failures.ts';
import { migration as requests } from './0037-requests.ts';
import { migration as usageSpans } from './0038-usage-spans.ts';
import { migration as playground } from './0039-playground.ts';
import { migration as teamKeys } from './0041-team-keys.ts';
import { migration as people } from './0042-people.ts';
import { migration as mcpClients } from './0043-mcp-clients.ts';
import { migration as clientDocuments } from './0044-client-documents.ts';
import { migration as mcpOwnTokens } from './0045-mcp-own-tokens.ts';
import { migration as mcpAssertions } from './0047-mcp-assertions.ts';
import { migration as organisationNames } from './0048-organisation-names.ts';
import { migration as clientKeys } from './0049-client-keys.ts';
import { migration as vouching } from './0050-vouching.ts';
import { migration as userLanguages } from './0053-languages.ts';
import { migration as endedOrganisations } from './0055-ended-organisations.ts';
import { migration as beatenAt } from './0056-beaten-at.ts';
import { migration as provenAt } from './0059-proven-at.ts';
import { migration as webSearches } from './0060-web-searches.ts';
import { migration as askedForVideos } from './0062-asked-for-videos.ts';
import { migration as mcpSharedSignIn } from './0064-mcp-shared-sign-in.ts';
import { migration as keyMakers } from './0067-key-makers.ts';
import { migration as keptSums } from './0068-kept-sums.ts';
import { migration as scim } from './0069-scim.ts';
import { migration as intake } from './0070-intake.ts';
import { migration as narrowerLists } from './0071-narrower-lists.ts';
import { migration as uploads } from './0072-uploads.ts';
import { migration as keysOfVideos } from './0073-keys-of-videos.ts';
import { migration as imposed } from './0074-imposed.ts';
import { migration as sealingKeys } from './0075-sealing-keys.ts';
import { migration as termsVersions } from './0076-terms-versions.ts';
import { migration as askers } from './0077-askers.ts';
import { migration as keptOut } from './0079-kept-out.ts';
import { migration as blobOwners } from './0080-blob-owners.ts';
import { migration as journal } from './0081-journal.ts';
import { complete, lastStep, sideBySide } from './earlier.ts';

/** In order, one per module as of the first version. To change a table later, add a file and a line here. */
export const migrations: Migration[] = [
  identity,
  durable,
  billing,
  routing,
  oauth,
  orchestra,
  video,
  allotments,
  unembedded,
  mute,
  versions,
  lists,
  found,
  turns,
  quotes,
  sources,
  runTools,
  mcp,
  responses,
  batches,
  keptAnswers,
  totals,
  openid,
  signIn,
  factors,
  devices,
  registration,
  acting,
  mcpFront,
  keptContents,
  mcpLimits,
  organisations,
  credentials,
  topUps,
  failures,
  requests,
  usageSpans,
  playground,
  teamKeys,
  people,
  mcpClients,
  clientDocuments,
  mcpOwnTokens,
  mcpAssertions,
  organisationNames,
  clientKeys,
  vouching,
  userLanguages,
  endedOrganisations,
  beatenAt,
  provenAt,
  askedForVideos,
  keyMakers,
  mcpSharedSignIn,
  webSearches,
  keptSums,
  scim,
  intake,
  narrowerLists,
  keysOfVideos,
  uploads,
  imposed,
  sealingKeys,
  termsVersions,
  askers,
  keptOut,
  blobOwners,
  journal,
];

/**
 * Migrations that created tables before the first version; their names are not reused. After `last` the tables were
 * those up to `made`; after `short`, `complete` adds the missing ones.
 */
export const earlier = {
  ...{ first: '0002-jobs', short: lastStep, last: '0021-owners', made: video.name },
  ...{ complete, sideBySide },
};
