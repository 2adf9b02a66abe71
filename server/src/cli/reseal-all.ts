import { resealVouching } from '../identity/sign-in/store/grants.ts';
import { resealClientSecrets } from '../identity/sign-in/store/providers.ts';
import { resealTotp } from '../identity/store/factors.ts';
import { resealGrants } from '../mcp/store/grants.ts';
import { resealOwnGrants } from '../mcp/store/own-grants.ts';
import { resealServers } from '../mcp/store/servers.ts';
import { resealSessions } from '../mcp/store/sessions.ts';
import { resealWebhookSecrets } from '../oauth/store/applications.ts';
import { resealSigningKeys } from '../oauth/store/signing-keys.ts';
import { resealOrganisations } from '../organisations/store/organisations.ts';
import { resealingAll } from '../platform/db/reseal.ts';
import { resealJobs } from '../platform/durable/job-store.ts';
import { resealAnswers } from '../platform/idempotency/store.ts';
import { resealResponses } from '../relay/responses/store/reseal.ts';
import { resealContents } from '../requests/contents/store.ts';
import { resealCredentials } from '../routing/catalog/store/channels.ts';
import { resealOwnKeys } from '../routing/store/own-keys.ts';

/** Reseals everything stored sealed with the first key; returns how many texts were changed. */
export const resealAll = resealingAll(
  ...[resealCredentials, resealOwnKeys, resealWebhookSecrets, resealSigningKeys, resealOrganisations],
  ...[resealClientSecrets, resealVouching, resealTotp, resealAnswers, resealContents, resealResponses],
  ...[resealServers, resealGrants, resealOwnGrants, resealSessions, resealJobs],
);
