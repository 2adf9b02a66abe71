import { amountsFault } from '../lib/dollar-amounts.ts';
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
  help: `Orchestration: model for ${what}; empty picks one`,
});

/** All options that can be changed at runtime. */
export const optionTable = {
  OAuth2Enabled: { default: true, help: 'The whole OAuth system' },
  OAuth2RequireApproval: {
    default: false,
    help: 'Only applications verified by an administrator may ask for authorization',
  },
  OAuth2AccessTokenTTL: seconds(3600, 'Lifetime of access tokens, seconds'),
  OAuth2RefreshTokenTTL: seconds(2_592_000, 'Lifetime of refresh tokens, seconds'),
  OAuth2CodeTTL: seconds(600, 'Lifetime of authorization codes, seconds'),
  OAuth2AllowedScopes: scopeList(
    'openid email profile tokens:read tokens:write usage:read models:use',
    'Scopes that applications may have at all; models:use with OAuth2OpenIDConnect only',
  ),
  OAuth2OpenIDConnect: {
    default: false,
    help: 'OpenID Connect: ID tokens, signing keys, prompt and max_age, logout of applications; pushed requests, device codes, DPoP, clients that nobody registered, scope models:use, token exchange',
  },
  OAuth2ClientDocuments: {
    default: true,
    help: 'Clients that nobody registered may be described by a document at their client id, while OpenID Connect is turned on',
  },
  OAuth2DynamicRegistration: {
    default: false,
    help: 'Programs may register themselves as clients, while OpenID Connect is turned on',
  },
  OAuth2RegistrationTokenSha256: {
    default: '',
    help: 'SHA-256, in hexadecimal, of a token that programs must send to register themselves; empty asks for none',
    fault: (text) => (/^([0-9a-f]{64})?$/.test(text) ? null : 'must be 64 lowercase hexadecimal digits, or empty'),
  },
  OAuth2SelfRegisteredClients: {
    default: 10_000,
    help: 'How many clients that registered themselves there may be',
    min: 0,
    max: 1_000_000,
  },
  OAuth2SigningKeyDays: {
    default: 90,
    help: 'Days after which ID tokens are signed with a new key; 0 leaves it to administrators',
    min: 0,
    max: 3650,
  },
  CorsEnabled: {
    default: false,
    help: 'Pages of other origins may call /v1, /mcp and the API tokens of applications: those of registered applications, and CorsOrigins',
  },
  CorsOrigins: {
    default: '',
    help: 'Further origins, with spaces between them; * for all of them, at /v1 and /mcp only',
    fault: originListFault,
  },
  RegistrationEnabled: { default: true, help: 'People may register themselves' },
  AdminSecondFactor: {
    default: false,
    help: 'Administrators need a second factor: without one they can open their own account alone',
  },
  QuotaForNewUser: { default: 0, help: 'Balance of a new user, in quota (500,000 = 1 USD)', min: 0, max: 1e12 },
  RateLimitEnabled: { default: true, help: 'All limits on calls' },
  AppRateLimitEnabled: { default: true, help: "Each application's own limit on calls with its tokens" },
  RateLimitV1: perMinute(240, '/v1/* and /v1beta/*, per key'),
  RateLimitApi: perMinute(120, '/api/*, per user or address'),
  RateLimitMcp: perMinute(240, '/mcp, per key or user'),
  RateLimitScim: perMinute(600, '/scim/v2, per organisation or address'),
  RateLimitOAuthToken: perMinute(60, 'Token endpoint, per address'),
  RateLimitOAuthPushed: perMinute(60, 'Pushed authorization requests, per address'),
  RateLimitOAuthDevice: perMinute(60, 'Asking for device codes, per address'),
  RateLimitOAuthRevoke: perMinute(60, 'Revocation, per address'),
  RateLimitOAuthIntrospect: perMinute(120, 'Introspection, per address'),
  RateLimitOAuthUserinfo: perMinute(300, 'Userinfo, per address'),
  RateLimitOAuthAuthorize: perMinute(30, 'Reading an authorization request, per user'),
  RateLimitOAuthAuthorizePost: perMinute(30, 'Answering an authorization request, per user'),
  RateLimitOAuthRegister: perMinute(10, 'Registration of clients by themselves, per address'),
  RateLimitPayments: perMinute(1_000, 'Events of Stripe, per address'),
  DefaultModelPrice: {
    default: 0,
    help: 'USD per million tokens for models that only a channel list names',
    min: 0,
    max: 10_000,
    fraction: true,
  },
  OwnKeys: {
    default: false,
    help: 'Users may bring keys of their own for providers; their requests go out with those first',
  },
  OwnKeyFee: {
    default: 0,
    help: 'The share of a model’s price that requests with a key of the user’s own cost; 0.05 is 5 %',
    min: 0,
    max: 1,
    fraction: true,
  },
  DecisionLogDays: { default: 30, help: 'Days that routing decisions are kept', min: 1, max: 3650 },
  AuditLogDays: { default: 365, help: 'Days that audit entries are kept', min: 1, max: 3650 },
  UsageLogDays: {
    default: 365,
    help: 'Days that single usage entries and their lines in the ledger are kept; sums per day stay',
    min: 1,
    max: 3650,
  },
  ResponsesKeptDays: {
    default: 30,
    help: 'Days that responses and conversations are kept after they were last built on; 0 keeps none',
    min: 0,
    max: 3650,
  },
  RequestContentsDays: {
    default: 0,
    help: 'Days that prompts and answers of users who agree to it are kept with their requests, sealed; 0 keeps none',
    min: 0,
    max: 90,
  },
  BatchPriceFactor: {
    default: 1,
    help: 'The share of a model’s price that requests of batches pay; 0.5 is half',
    min: 0,
    max: 10,
    fraction: true,
  },
  TopUpAmounts: {
    default: '5 10 25 50 100',
    help: 'What people may pay by Stripe, in whole dollars, with spaces between them; empty takes no payments',
    fault: amountsFault,
  },
  ResponseCacheMebibytes: {
    default: 64,
    help: 'Memory for answers that keys are given again, in MiB: of each process, or with Redis of each user and day; 0 keeps none',
    min: 0,
    max: 100_000,
  },
  ResponseCacheAcrossUsers: {
    default: false,
    help: 'Answers that one user paid for may be given to others who ask exactly the same, free of charge',
  },
  FileMaxMebibytes: { default: 50, help: 'Largest file at /v1/files, in MiB', min: 1, max: 60 },
  UploadMaxMebibytes: {
    default: 512,
    help: 'Largest file that comes in parts at /v1/uploads, in MiB; 0 takes none',
    min: 0,
    max: 8_192,
  },
  FilesPerUserMebibytes: {
    default: 1_000,
    help: 'What all files of a user at /v1/files may take together, in MiB; 0 takes none',
    min: 0,
    max: 1_000_000_000,
  },
  KeptPerUserMebibytes: {
    default: 5_000,
    help: 'What a user keeps in all, in MiB: responses, conversations, files, batches, sessions, knowledge, chats, prompts and answers; 0 for no limit',
    min: 0,
    max: 1_000_000_000,
  },
  MsPlanModel: model('planning'),
  MsEasyModel: model('easy tasks'),
  MsMediumModel: model('medium tasks'),
  MsHardModel: model('hard tasks'),
  MsEmbeddingModel: model('embeddings'),
  MsRerankModel: model('reranking'),
  MsParallelRuns: { default: 3, help: 'Orchestration: runs of one user at once', min: 1, max: 10_000 },
  McpApiKeys: { default: true, help: 'API keys open /mcp; off leaves it to access tokens for that address' },
  McpUserServers: {
    default: false,
    help: 'Users may connect MCP servers of their own, for themselves alone, and for organisations that they run',
  },
  McpClientDocument: {
    default: true,
    help: 'Authorization servers of MCP servers that read documents of clients read ours at /client-metadata.json; off registers there, as where they cannot reach it',
  },
  AccessLog: { default: false, help: 'One log line per request' },
  LogLevel: { default: '', help: 'Log level; empty keeps LOG_LEVEL', oneOf: ['', ...logLevels] },
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
    if (typeof given !== 'string' || given.length > 1000) return { fault: 'must be a string' };
    const fault = rule.fault?.(given) ?? null;
    return fault === null ? { value: given } : { fault };
  }
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { fault: 'must be a number' };
  if (!rule.fraction && !Number.isInteger(number)) return { fault: 'must be a whole number' };
  if (number < rule.min! || number > rule.max!) return { fault: `must be between ${rule.min} and ${rule.max}` };
  return { value: number };
}
