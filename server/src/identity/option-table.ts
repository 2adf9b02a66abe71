import { amountsFault } from '../lib/dollar-amounts.ts';
import { plainNumber } from '../lib/plain-number.ts';
import { logLevels } from '../platform/log.ts';
import { originListFault } from './origin-list.ts';

export type OptionValue = boolean | number | string;

export interface OptionRule {
  default: OptionValue;
  help: string;
  /** Range of a number; integers unless `fraction`. */
  min?: number;
  max?: number;
  fraction?: boolean;
  /** The only accepted texts. */
  oneOf?: readonly string[];
  /** What is wrong with a text; null if nothing is. */
  fault?(text: string): string | null;
}

const perMinute = (limit: number, what: string): OptionRule & { default: number } => ({
  default: limit,
  help: `${what}: calls per minute; 0 for no limit`,
  min: 0,
  max: 100_000_000,
});
const seconds = (value: number, help: string): OptionRule & { default: number } => ({
  default: value,
  help,
  min: 1,
  max: 315_360_000,
});
/** Space-separated, as in a request (RFC 6749 §3.3). With other separators it would be a single unknown name. */
const scopeList = (all: string, help: string): OptionRule & { default: string } => ({
  default: all,
  help,
  fault: (text) => {
    const known = all.split(' ');
    const wrong = text.split(' ').find((name) => name !== '' && !known.includes(name));
    return wrong === undefined
      ? null
      : `must be scopes of this service, separated by spaces; ${wrong.slice(0, 100)} is not one`;
  },
});
const model = (what: string): OptionRule & { default: string } => ({
  default: '',
  help: `Orchestration: model for ${what}; empty selects one automatically`,
});

/** All options that can be changed at runtime. */
export const optionTable = {
  OAuth2Enabled: { default: true, help: 'Master switch for the whole OAuth system' },
  OAuth2RequireApproval: {
    default: false,
    help: 'Only applications verified by an administrator may request authorization',
  },
  OAuth2AccessTokenTTL: seconds(3600, 'Lifetime of access tokens, seconds'),
  OAuth2RefreshTokenTTL: seconds(2_592_000, 'Lifetime of refresh tokens, seconds'),
  OAuth2CodeTTL: seconds(600, 'Lifetime of authorization codes, seconds'),
  OAuth2AllowedScopes: scopeList(
    'openid email profile tokens:read tokens:write usage:read models:use',
    'Scopes that applications may be granted; models:use requires OAuth2OpenIDConnect',
  ),
  OAuth2OpenIDConnect: {
    default: false,
    help: 'OpenID Connect: ID tokens, signing keys, prompt and max_age, application logout; pushed authorization requests, device codes, DPoP, unregistered clients, the scope models:use, token exchange',
  },
  OAuth2ClientDocuments: {
    default: true,
    help: 'Accept unregistered clients that are described by a metadata document at their client ID; requires OpenID Connect',
  },
  OAuth2DynamicRegistration: {
    default: false,
    help: 'Allow programs to register themselves as clients; requires OpenID Connect',
  },
  OAuth2RegistrationTokenSha256: {
    default: '',
    help: 'SHA-256, in hexadecimal, of a token that programs must send to register themselves; empty to require no token',
    fault: (text) => (/^([0-9a-f]{64})?$/.test(text) ? null : 'must be 64 lowercase hexadecimal digits, or empty'),
  },
  OAuth2SelfRegisteredClients: {
    default: 10_000,
    help: 'Maximum number of self-registered clients',
    min: 0,
    max: 1_000_000,
  },
  OAuth2SigningKeyDays: {
    default: 90,
    help: 'Days until the signing key for ID tokens is rotated; 0 leaves rotation to administrators',
    min: 0,
    max: 3650,
  },
  CorsEnabled: {
    default: false,
    help: 'Allow pages of other origins to call /v1, /mcp and the API token endpoints of applications: origins of registered applications, and CorsOrigins',
  },
  CorsOrigins: {
    default: '',
    help: 'Additional origins, separated by spaces; * allows all origins, at /v1 and /mcp only',
    fault: originListFault,
  },
  RegistrationEnabled: { default: true, help: 'Allow people to register accounts themselves' },
  AdminSecondFactor: {
    default: false,
    help: 'Require a second factor for administrators; without one they can open only their own account',
  },
  QuotaForNewUser: { default: 0, help: 'Initial balance of new users, in quota (500,000 = 1 USD)', min: 0, max: 1e12 },
  RateLimitEnabled: { default: true, help: 'Master switch for all rate limits' },
  AppRateLimitEnabled: { default: true, help: "Apply each application's own rate limit to calls with its tokens" },
  RateLimitV1: perMinute(240, '/v1/* and /v1beta/*, per key'),
  RateLimitApi: perMinute(120, '/api/*, per user or address'),
  RateLimitMcp: perMinute(240, '/mcp, per key or user'),
  RateLimitScim: perMinute(600, '/scim/v2, per organisation or address'),
  RateLimitOAuthToken: perMinute(60, 'Token endpoint, per address'),
  RateLimitOAuthPushed: perMinute(60, 'Pushed authorization requests, per address'),
  RateLimitOAuthDevice: perMinute(60, 'Device code requests, per address'),
  RateLimitOAuthRevoke: perMinute(60, 'Revocation, per address'),
  RateLimitOAuthIntrospect: perMinute(120, 'Introspection, per address'),
  RateLimitOAuthUserinfo: perMinute(300, 'Userinfo, per address'),
  RateLimitOAuthAuthorize: perMinute(30, 'Reading an authorization request, per user'),
  RateLimitOAuthAuthorizePost: perMinute(30, 'Answering an authorization request, per user'),
  RateLimitOAuthRegister: perMinute(10, 'Client self-registration, per address'),
  RateLimitPayments: perMinute(1_000, 'Stripe events, per address'),
  DefaultModelPrice: {
    default: 0,
    help: 'USD per million tokens for models that appear only in a channel’s model list, without a price of their own',
    min: 0,
    max: 10_000,
    fraction: true,
  },
  OwnKeys: {
    default: false,
    help: 'Allow users to add their own provider keys; their requests use those keys first',
  },
  OwnKeyFee: {
    default: 0,
    help: 'Fee for requests with the user’s own key, as a share of the model’s price; 0.05 is 5 %',
    min: 0,
    max: 1,
    fraction: true,
  },
  DecisionLogDays: { default: 30, help: 'Days to keep routing decisions', min: 1, max: 3650 },
  AuditLogDays: { default: 365, help: 'Days to keep audit entries', min: 1, max: 3650 },
  UsageLogDays: {
    default: 365,
    help: 'Days to keep individual usage entries and their ledger lines; daily totals are kept permanently',
    min: 1,
    max: 3650,
  },
  OrphanedFileDays: {
    default: 0,
    help: 'Age in days from which stored bytes that nothing in the database refers to are deleted; 0 keeps them',
    min: 0,
    max: 3650,
  },
  ResponsesKeptDays: {
    default: 30,
    help: 'Days to keep responses and conversations after they were last continued; 0 keeps none',
    min: 0,
    max: 3650,
  },
  RequestContentsDays: {
    default: 0,
    help: 'Days to keep the prompts and answers of users who agreed to it, encrypted, with their requests; 0 keeps none',
    min: 0,
    max: 90,
  },
  BatchPriceFactor: {
    default: 1,
    help: 'Price of batch requests, as a share of the model’s price; 0.5 is half',
    min: 0,
    max: 10,
    fraction: true,
  },
  TopUpAmounts: {
    default: '5 10 25 50 100',
    help: 'Amounts that users can pay with Stripe, in whole dollars, separated by spaces; empty accepts no payments',
    fault: amountsFault,
  },
  ResponseCacheMebibytes: {
    default: 64,
    help: 'Memory for cached answers, in MiB: per process, or with Redis per user and day; 0 caches none',
    min: 0,
    max: 100_000,
  },
  ResponseCacheAcrossUsers: {
    default: false,
    help: 'Return answers that one user paid for to other users who send exactly the same request, free of charge',
  },
  FileMaxMebibytes: { default: 50, help: 'Maximum file size at /v1/files, in MiB', min: 1, max: 60 },
  UploadMaxMebibytes: {
    default: 512,
    help: 'Maximum size of files uploaded in parts at /v1/uploads, in MiB; 0 accepts none',
    min: 0,
    max: 8_192,
  },
  FilesPerUserMebibytes: {
    default: 1_000,
    help: 'Maximum total size of a user’s files at /v1/files, in MiB; 0 accepts none',
    min: 0,
    max: 1_000_000_000,
  },
  KeptPerUserMebibytes: {
    default: 5_000,
    help: 'Maximum total storage per user, in MiB: responses, conversations, files, batches, sessions, knowledge, chats, prompts and answers; 0 for no limit',
    min: 0,
    max: 1_000_000_000,
  },
  MsPlanModel: model('planning'),
  MsEasyModel: model('easy tasks'),
  MsMediumModel: model('medium tasks'),
  MsHardModel: model('hard tasks'),
  MsEmbeddingModel: model('embeddings'),
  MsRerankModel: model('reranking'),
  MsParallelRuns: { default: 3, help: 'Orchestration: maximum concurrent runs per user', min: 1, max: 10_000 },
  McpApiKeys: {
    default: true,
    help: 'Accept API keys at /mcp; when off, only access tokens for that address are accepted',
  },
  McpUserServers: {
    default: false,
    help: 'Allow users to connect their own MCP servers, for themselves only and for organisations they manage',
  },
  McpClientDocument: {
    default: true,
    help: 'Identify this service by its metadata document at /client-metadata.json to authorization servers of MCP servers that support it; when off, it registers with them instead, for example because they cannot reach it',
  },
  AccessLog: { default: false, help: 'One log line per request' },
  LogLevel: { default: '', help: 'Log level; empty uses LOG_LEVEL', oneOf: ['', ...logLevels] },
} as const satisfies Record<string, OptionRule>;

export type OptionName = keyof typeof optionTable;
type Widen<T> = T extends boolean ? boolean : T extends number ? number : string;
export type OptionOf<N extends OptionName> = Widen<(typeof optionTable)[N]['default']>;

/** The parsed value, or the reason why not. Text is accepted for numbers and booleans too, as forms send it. */
export function readOptionValue(name: OptionName, given: unknown): { value: OptionValue } | { fault: string } {
  const rule: OptionRule = optionTable[name];
  if (typeof rule.default === 'boolean') {
    if (given === true || given === 'true') return { value: true };
    return given === false || given === 'false' ? { value: false } : { fault: 'must be true or false' };
  }
  if (rule.oneOf && !rule.oneOf.includes(given as string))
    return { fault: `must be one of ${rule.oneOf.filter(Boolean).join(', ')}, or empty` };
  if (typeof rule.default === 'string') {
    if (typeof given !== 'string') return { fault: 'must be a string' };
    if (given.length > 1000) return { fault: 'must have at most 1000 characters' };
    const fault = rule.fault?.(given) ?? null;
    return fault === null ? { value: given } : { fault };
  }
  const number = typeof given === 'string' ? plainNumber(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { fault: 'must be a number' };
  if (!rule.fraction && !Number.isInteger(number)) return { fault: 'must be a whole number' };
  if (number < rule.min! || number > rule.max!) return { fault: `must be between ${rule.min} and ${rule.max}` };
  return { value: number };
}
