import { formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { windowWords } from './budget-fields.ts';
import { type Level, type LevelNames, levels, placeName } from './levels.ts';
import type { Act } from './organisation-queries.ts';
import { roleInWords } from './organisation-words.ts';

/** Audit actions as text. They start with the verb: who acted is shown in a column of its own. */
const words: Record<string, string> = {
  organisation_created: t('Made the organisation'),
  organisation_updated: t('Changed the organisation'),
  organisation_webhook_secret_rotated: t('Renewed the webhook’s secret'),
  organisation_responses_deleted: t('Deleted all responses and conversations'),
  team_created: t('Made a team'),
  team_updated: t('Renamed a team'),
  team_deleted: t('Deleted a team'),
  team_member_added: t('Put a member into a team'),
  team_member_removed: t('Took a member out of a team'),
  member_invited: t('Invited somebody'),
  invitation_deleted: t('Took an invitation back'),
  member_joined: t('Joined##act'),
  member_updated: t('Changed a role'),
  member_removed: t('Ended a membership'),
  scim_token_created: t('Made a token for a directory'),
  scim_token_deleted: t('Removed a token of a directory'),
  scim_user_created: t('Named a person'),
  scim_user_updated: t('Changed what is said of a person'),
  scim_user_deleted: t('Names a person no more'),
  organisation_key_created: t('Created a key'),
  organisation_key_updated: t('Changed a key'),
  organisation_key_deleted: t('Revoked a key'),
  organisation_key_rotated: t('Gave a key a new secret'),
  organisation_key_overlap_ended: t('Ended the old secret of a key'),
  team_own_key_created: t('Added a provider key of a team'),
  team_own_key_updated: t('Changed a provider key of a team'),
  team_own_key_deleted: t('Removed a provider key of a team'),
  team_own_key_tested: t('Tested a provider key of a team'),
  budget_created: t('Set a budget'),
  budget_updated: t('Changed a budget'),
  budget_deleted: t('Deleted a budget'),
  limits_set: t('Set limits'),
  limits_deleted: t('Took limits away'),
  mcp_server_created: t('Connected a server'),
  mcp_server_updated: t('Changed a server'),
  mcp_server_deleted: t('Disconnected a server'),
  mcp_server_tested: t('Tested a server'),
  mcp_tools_set: t('Allowed tools'),
  mcp_tool_approved: t('Approved a tool'),
  mcp_authorization_removed: t('Signed out of a server'),
};

export const actWords = ({ action }: Pick<Act, 'action'>): string => words[action] ?? action;

const named = (level: Level) => (id: unknown, known: LevelNames) => placeName(known, { level, level_id: Number(id) });
const listed = (tell: (names: string) => string) => (names: unknown) =>
  Array.isArray(names) && names.length > 0 ? tell(names.join(', ')) : null;
const aMinute = (tell: (count: number) => string) => (count: unknown) =>
  Number(count) > 0 ? tell(Number(count)) : null;

const namesIn = (tools: unknown): unknown =>
  Array.isArray(tools) ? tools.map((tool: { name?: unknown }) => tool.name) : null;

/** Formats each field of an audit entry as text. Fields without an entry are internal and not shown. */
const tellers: Record<string, (value: unknown, known: LevelNames) => string | null> = {
  mcp_server: String,
  name: String,
  user_name: String,
  active: (active) => (active ? t('active##person') : t('not active##person')),
  role: (role) => t('as {role}', { role: roleInWords(String(role)) }),
  email: (email) => (email === '' ? t('by a link') : String(email)),
  team_id: named('team'),
  user_id: named('member'),
  amount: (amount) => formatQuota(Number(amount)),
  window: (window) => windowWords[window as keyof typeof windowWords] ?? String(window),
  hard: (hard) => (hard ? t('refuses') : t('only warns')),
  requests_per_minute: aMinute((count) =>
    t('{count, plural, one {# request a minute} other {# requests a minute}}', { count }),
  ),
  tokens_per_minute: aMinute((count) =>
    t('{count, plural, one {# token a minute} other {# tokens a minute}}', { count }),
  ),
  models: listed((names) => t('models: {names}', { names })),
  providers: listed((names) => t('providers: {names}', { names })),
  url: String,
  enabled: (enabled) => (enabled ? t('enabled##act') : t('disabled##act')),
  tools: (tools) => listed((names) => t('tools: {names}', { names }))(namesIn(tools)),
  time_zone: String,
  balance: (balance) => (balance === 'shared' ? t('the organisation pays') : t('each member pays')),
  webhook_url: (url) => (url === '' ? t('no webhook') : String(url)),
};

export function actDetails(
  { action, metadata, after }: Pick<Act, 'action' | 'metadata' | 'after'>,
  known: LevelNames,
): string {
  const told: Record<string, unknown> = { ...metadata, ...after };
  // The entry has the team's name at that time; do not also show its current name.
  if (action.startsWith('team_') && told.name) delete told.team_id;
  // For entries about a server, `mcp_server` already contains the name.
  if (told.mcp_server) delete told.name;
  const level = levels.find((one) => one === told.level);
  const place = level && placeName(known, { level, level_id: Number(told.level_id) });
  const rest = Object.entries(tellers).flatMap(([name, tell]) => {
    const value = told[name];
    return value === undefined || value === null ? [] : [tell(value, known)];
  });
  return [place, ...rest].filter(Boolean).join(t(', ##of an act'));
}
