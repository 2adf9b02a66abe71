import type { Extra } from './extra.ts';
import type { KnownOrganisation } from './organisation.ts';

/** Values that exist in the service, by the name of the field or, for parts of a path, by `before/{name}`. */
export interface Things {
  callback: string;
  userId: number;
  channelId: number;
  tokenId: number;
  knowledgeId: number;
  presetId: number;
  application: { id: number; client_id: string; client_secret_plain: string };
  tokens: { access_token: string; refresh_token: string };
  code: string;
  registered: { client_id: string };
  baseUrl: string;
  sessionId: string;
  jobId: string;
  conversationId: string;
  responseId: string;
  fileId: string;
  batchIds: string[];
  uploadId: string;
  partId: string;
  providerId: number;
  mcpServerId: number;
  credentialId: number;
  aliasId: number;
  ownKeyId: number;
  organisation: KnownOrganisation;
  extra: Extra;
}

/** The slug of an existing identity provider. */
export const providerName = 'fuzz';

const models: [RegExp, string][] = [
  [/embed/i, 'demo/embed'],
  [/images/, 'demo/image'],
  [/speech/, 'demo/speech'],
  [/transcriptions|translations/, 'demo/transcribe'],
  [/moderations/, 'demo/moderation'],
  [/rerank/, 'demo/rerank'],
  [/videos/, 'demo/video'],
  [/realtime/, 'demo/realtime'],
];

/** A model that the endpoint can serve. */
export const modelFor = (path: string): string => models.find(([pattern]) => pattern.test(path))?.[1] ?? 'demo/chat';

/** An item of the existing conversation. */
export const conversationItem = 'msg_known';
/** An existing chat of the playground. */
export const playgroundChat = 'known-chat';

const hi = [{ role: 'user', content: 'hi' }];
/** Nothing listens on port 9: no fuzzed address may leave this machine. */
const address = ['http://127.0.0.1:9/hook'];

export const knownValues = (things: Things): Record<string, readonly unknown[]> => ({
  ...idsOf(things),
  ...oauthOf(things),
  ...organisationOf(things),
  model_name: ['upstream'],
  provider: [{}, { allow_fallbacks: true }],
  contents: [[{ role: 'user', parts: [{ text: 'hi' }] }]],
  requests: [[{ content: { parts: [{ text: 'hi' }] } }]],
  pageSize: [1, 20],
  pageToken: ['1'],
  alt: ['sse', 'json'],
  messages: [hi, [...hi, { role: 'assistant', content: 'ho' }, ...hi]],
  input: ['hello', ['a', 'b']],
  items: [hi],
  prompt: ['x'],
  message: ['hello'],
  documents: [['a', 'b'], [{ text: 'c' }]],
  query: ['a'],
  q: ['fact', 'root'],
  voice: ['alloy'],
  max_tokens: [1, 20],
  response_format: [{ type: 'text' }, { type: 'json_object' }, 'json'],
  tools: [[]],
  tool_choice: ['auto', 'none'],
  category: ['fact'],
  // No options that would change what the run tests.
  key: ['QuotaForNewUser', 'DecisionLogDays', 'MsPlanModel'],
  value: [1, 10, ''],
  // Short runs.
  max_iterations: [1],
  max_time_secs: [1, 2],
  stream_events: [true],
  base_url: address,
  webhook_url: address,
  callback_url: address,
  homepage_url: address,
  logo_url: address,
  avatar_url: address,
  url: address,
  issuer: address,
  username: ['root', 'nobody', 'fuzz_user'],
  password: ['a fine password', 'x'],
  preset: ['ollama'],
  page: [1, 2, 0, -1],
  page_size: [1, 20, 1000],
  format: ['json', 'csv'],
});

function idsOf(things: Things) {
  const { userId, channelId, tokenId, knowledgeId, application, sessionId, jobId, conversationId } = things;
  return {
    id: [1, 2, 3, userId],
    user_id: [userId, 1],
    channel_id: [channelId],
    token_id: [tokenId],
    app_id: [application.id],
    application_id: [application.id],
    session_id: [sessionId, 'another'],
    chat_id: [playgroundChat, 'another'],
    jobId: [jobId],
    conversation_id: [conversationId],
    item_id: [conversationItem],
    'tokens/{id}': [tokenId],
    'users/{id}': [userId, 1],
    'channels/{id}': [channelId],
    'credentials/{credential_id}': [things.credentialId],
    'model-aliases/{id}': [things.aliasId],
    'own-keys/{id}': [things.ownKeyId],
    'responses/{response_id}': [things.responseId],
    'files/{file_id}': [things.fileId],
    input_file_id: [things.fileId],
    'batches/{batch_id}': things.batchIds,
    'uploads/{upload_id}': [things.uploadId],
    part_ids: [[things.partId]],
    bytes: [1, 5],
    'identity-providers/{id}': [things.providerId],
    'auth/{provider}': [providerName],
    'servers/{id}': [things.mcpServerId],
    'tools/{name}': ['svc__list_models'],
    'knowledge/{id}': [knowledgeId],
    'presets/{id}': [things.presetId],
    // Requests to a model of this name would use the unreachable channel.
    model_id: ['fuzz/model'],
    'models/{model_id}': ['demo/chat'],
    'configs/{model_id}': ['demo/chat', 'fuzz/model'],
    'register/{client_id}': [things.registered.client_id],
    'oauth-protected-resource/{path}': ['v1', 'mcp'],
  };
}

const organisationOf = ({ organisation, userId }: Things) => ({
  ...placesOf(organisation, userId),
  scim_token_id: [organisation.scimTokenId],
  'Users/{id}': [organisation.scimUserId],
  'Groups/{id}': [organisation.scimTeamId],
  userName: ['ada@example.com', 'ada'],
  emails: [[{ value: 'ada@example.com', type: 'work' }]],
  members: [[], [{ value: organisation.scimUserId }]],
  filter: ['userName eq "ada"', 'active eq true and emails.value eq "a@b.example"', 'displayName eq "a"'],
  Operations: [[{ op: 'replace', path: 'displayName', value: 'Ada' }], [{ op: 'Replace', value: { active: true } }]],
});

const placesOf = ({ id, teamId, keyId, ownKeyId, budgetId, invitationId }: KnownOrganisation, userId: number) => ({
  'organisations/{id}': [id],
  level_id: [id, teamId, userId, keyId],
  team_id: [teamId],
  key_id: [keyId],
  'own-keys/{key_id}': [ownKeyId],
  budget_id: [budgetId],
  invitation_id: [invitationId],
  time_zone: ['UTC', 'Europe/Vienna'],
  alerts: [[0.5, 1], []],
});

const oauthOf = ({ callback, application, tokens, code, baseUrl, organisation }: Things) => ({
  client_id: [application.client_id],
  client_secret: [application.client_secret_plain],
  redirect_uri: [callback],
  redirect_uris: [[callback]],
  response_type: ['code'],
  code: [code],
  token: [tokens.access_token, tokens.refresh_token, organisation.invitationToken],
  refresh_token: [tokens.refresh_token],
  grant_type: ['authorization_code', 'refresh_token'],
  scope: ['openid', 'openid email'],
  scopes: ['openid email'],
  code_challenge: ['a'.repeat(43)],
  code_challenge_method: ['S256', 'plain'],
  state: ['s&=é'],
  resource: [baseUrl, `${baseUrl}/v1`],
});
