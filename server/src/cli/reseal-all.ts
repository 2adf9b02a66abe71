import { resealVouching } from '../identity/sign-in/store/grants.ts';
import { resealClientSecrets } from '../identity/sign-in/store/providers.ts';
import { resealTotp } from '../identity/store/factors.ts';
import { SealError } from '../lib/seal.ts';
import { table } from '../lib/table.ts';
import { resealGrants } from '../mcp/store/grants.ts';
import { resealOwnGrants } from '../mcp/store/own-grants.ts';
import { resealServers } from '../mcp/store/servers.ts';
import { resealSessions } from '../mcp/store/sessions.ts';
import { resealWebhookSecrets } from '../oauth/store/applications.ts';
import { resealSigningKeys } from '../oauth/store/signing-keys.ts';
import { resealOrganisations } from '../organisations/store/organisations.ts';
import { type ResealPlace, resealingAll } from '../platform/db/reseal.ts';
import type { Db } from '../platform/db/tables.ts';
import { resealJobs } from '../platform/durable/job-store.ts';
import { resealAnswers } from '../platform/idempotency/store.ts';
import { resealResponses } from '../relay/responses/store/reseal.ts';
import { resealContents } from '../requests/contents/store.ts';
import { resealCredentials } from '../routing/catalog/store/channels.ts';
import { resealOwnKeys } from '../routing/store/own-keys.ts';

/** Everything stored sealed, in an operator's words. */
const places = table<ResealPlace>({
  'credentials of channels': resealCredentials,
  'provider keys of users and teams': resealOwnKeys,
  'webhook secrets of applications': resealWebhookSecrets,
  'keys that sign ID tokens': resealSigningKeys,
  'secrets of organisations': resealOrganisations,
  'client secrets of identity providers': resealClientSecrets,
  'sign-ins kept for MCP servers that trust an identity provider': resealVouching,
  'authenticator apps of users': resealTotp,
  'answers kept for idempotency keys': resealAnswers,
  'kept prompts and answers': resealContents,
  'kept responses': resealResponses,
  'headers and clients of MCP servers': resealServers,
  "users' sign-ins at MCP servers": resealGrants,
  "the service's own sign-ins at MCP servers": resealOwnGrants,
  'sessions at MCP servers': resealSessions,
  'waiting jobs': resealJobs,
});

/** Reseals everything stored sealed with the first key; returns how many texts were changed. */
export const resealAll = resealingAll(...Object.values(places));

export interface Resealed {
  changed: number;
  /** What was sealed with keys that nobody has any more; it stays as it is. */
  unreadable: { what: string; count: number }[];
}

/** The same, going on after texts that no key opens. */
export async function resealEach(db: Db, reseal: (sealed: string) => string): Promise<Resealed> {
  const result: Resealed = { changed: 0, unreadable: [] };
  for (const [what, place] of Object.entries(places)) {
    let count = 0;
    result.changed += await place(db, (sealed) => {
      try {
        return reseal(sealed);
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        count += 1;
        return sealed;
      }
    });
    if (count > 0) result.unreadable.push({ what, count });
  }
  return result;
}
