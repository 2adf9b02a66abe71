/** Values that only certain endpoints accept, and things that there are for what would spoil the rest. */
import type { Things } from './known.ts';

type Values = Record<string, readonly unknown[]>;

const month = '2026-11';
const nothing: readonly unknown[] = [];

/** By method and address; the first that has the name decides. An empty list leaves it to the schema. */
const rows = (things: Things): [pattern: RegExp, values: Values][] => {
  const { organisation: place, extra, tokens, callback, application } = things;
  const somebody = { 'users/{id}': [place.somebodyId], user_id: [place.somebodyId] };
  return [
    // Whoever is asked about may be anybody; whoever is changed is somebody else than the caller.
    [/^(PUT|POST|DELETE) \/api\/admin\/users\//, { ...somebody, 'sessions/{session_id}': [1] }],
    [/ \/api\/admin\/users\/\{id\}\/links/, { purpose: ['reset_password'] }],
    [/ \/api\/organisations\/\{id\}\/members\//, { user_id: [place.somebodyId], role: ['admin', 'member'] }],
    [/^PUT .*limits\/\{level\}/, { 'limits/{level}': ['team'], level_id: [place.teamId] }],
    [/^DELETE .*limits\/\{level\}/, { 'limits/{level}': ['organisation'], level_id: [place.id] }],
    [/^POST .*\/budgets$/, { level: ['team'], level_id: [place.teamId], window: ['day', 'week', 'total'] }],
    [/accounting$/, { month: [month], from: [month], to: [month] }],
    [/\/previous$/, { 'tokens/{id}': [extra.tokenId] }],
    [/ \/api\/tokens\/\{id\}/, { 'tokens/{id}': [extra.tokenId] }],
    [/^(PUT|POST|DELETE) \/api\/oauth2\/(applications|consents)\//, { ...of(extra.applicationId), type: ['team'] }],
    [/applications\/\{app_id\}\/owner$/, { id: [place.teamId] }],
    [/applications\/(suspend|activate|verify|unverify)$/, { app_id: [extra.applicationId] }],
    [/oauth2\/revoke$/, { token: [extra.accessToken, extra.refreshToken] }],
    [/oauth2\/token$/, { refresh_token: [extra.refreshToken], scope: nothing }],
    [/oauth2\/device$/, { user_code: [extra.userCode] }],
    [/oauth2\/(authorize|par)/, { prompt: ['consent'], code_challenge_method: ['S256'], request: nothing }],
    [/invitations\/(accept|look)$/, { token: [place.invitationToken] }],
    [/scim\/v2\/ResourceTypes/, { name: ['User', 'Group'] }],
    [/scim\/v2\/Schemas/, { name: ['urn:ietf:params:scim:schemas:core:2.0:User'] }],
    [/scim\/v2\/Groups/, { displayName: ['A group', 'Another group'] }],
    [/own-keys/, { provider: ['fuzz'] }],
    [/admin\/channels$/, { models: nothing, preset: nothing }],
    [/admin\/channels/, { provider: ['fuzz'], 'channels/{id}': [things.channelId], models: [[{ id: extra.modelId }]] }],
    [/admin\/provider-models\/\{id\}/, { id: [extra.modelId], model_id: [`fuzz/${extra.modelId}`] }],
    [/user\/spending\/\{window\}/, { 'spending/{window}': ['month'], amount: [100_000_000] }],
    [/user\/self$/, { avatar_url: ['https://127.0.0.1:9/a.png'], ...passwords }],
    [/oauth2\/userinfo$/, { avatar_url: ['https://127.0.0.1:9/a.png'] }],
    [/\/api\/user\/(totp|passkeys|email)/, passwords],
    [/user\/login$/, { username: [extra.username], ...passwords }],
    [/user\/redemptions$/, { code: [extra.redemptionCode] }],
    [/^DELETE \/api\/user\/sessions\/|^GET \/api\/user\/sessions/, { 'sessions/{id}': [extra.sessionId] }],
    [/requests\/\{id\}/, { 'requests/{id}': [extra.requestId] }],
    [/knowledge\/sources/, { 'sources/{id}': [extra.sourceId] }],
    [/knowledge\/import/, { entries: [[{ category: 'fact', title: 'B', content: 'It is new.' }]] }],
    [/svc-ms\/autonomous/, { session_id: [extra.runId], 'autonomous/{session_id}': [extra.runId] }],
    [/^\S+ \/mcp\/\{server\}/, { 'mcp/{server}': [extra.serverName] }],
    [/v1\/messages\/batches/, { 'batches/{batch_id}': things.batchIds.slice(1), requests: [extra.requests] }],
    [/v1\/batches/, { 'batches/{batch_id}': things.batchIds.slice(0, 1) }],
    [/responses\/\{response_id\}\/cancel/, { 'responses/{response_id}': [extra.backgroundId] }],
    [/uploads\/\{upload_id\}\/(parts|cancel)/, { 'uploads/{upload_id}': [extra.openUploadId] }],
    [/audio\/speech/, { input: ['hello'], response_format: ['wav'] }],
    [/images\//, { response_format: ['b64_json', 'url'] }],
    [/audio\/trans/, { response_format: ['json', 'text'] }],
    [/v2\/chat/, { documents: nothing, tools: nothing, tool_choice: nothing, response_format: nothing }],
    [/v2\/embed/, { texts: [['a']], inputs: nothing }],
    [/:embedContent/, { content: [{ parts: [{ text: 'a' }] }] }],
    [/videos/, { callback_url: nothing, resolution: nothing, generate_audio: nothing }],
    [/playground\/chats\/\{chat_id\}/, { content: [chat], version: [0, 1] }],
    [/register/, { redirect_uris: [[callback]], client_id: [things.registered.client_id, application.client_id] }],
    [/userinfo|oauth2\/tokens/, { token_id: [extra.tokenId], access_token: [tokens.access_token] }],
  ];
};

const passwords = { password: ['a fine password'], current_password: ['a fine password'] };
const chat = { columns: [{ id: 'one', model: 'demo/chat' }], settings: {}, entries: [] };
const of = (id: number): Values => ({ 'applications/{app_id}': [id], 'consents/{application_id}': [id] });

export type Particular = (name: string, request: string) => readonly unknown[] | undefined;

export function particularValues(things: Things): Particular {
  const all = rows(things);
  return (name, request) => {
    const bare = name.replace(/^.*\{|\}$/g, '');
    const found = all.find(([pattern, values]) => pattern.test(request) && (values[name] ?? values[bare]));
    return found && (found[1][name] ?? found[1][bare]);
  };
}
