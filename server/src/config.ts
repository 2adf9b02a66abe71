import { isIP } from 'node:net';
import { z } from 'zod';
import { type OutgoingProxy, readOutgoingProxy } from './lib/outgoing-proxy.ts';
import { plainNumber } from './lib/plain-number.ts';
import { trimEndOf } from './lib/trim-end.ts';
import { vendors } from './lib/vendors/table.ts';
import type { Vendor } from './lib/vendors/vendor.ts';
import type { S3Config } from './platform/blobs/s3.ts';
import { parseBlock } from './platform/http/client-ip.ts';

const oneOf = <const T extends string>(...values: T[]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
const flag = oneOf('0', '1', 'true', 'false').transform((v) => v === '1' || v === 'true');
const whole = (min: number, max: number) =>
  z
    .string()
    .transform(plainNumber)
    .refine((n) => n !== null && Number.isInteger(n), { error: 'must be a whole number', abort: true })
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be between ${min} and ${max}`);
const webAddress = z
  .string()
  .refine((v) => URL.canParse(v) && /^https?:$/.test(new URL(v).protocol), 'must be an http or https address')
  // Normalised by the URL parser: HTTPS:// is https, too.
  .transform((v) => trimEndOf(new URL(v).href, '/'));
/** Paths are appended to it, and it is the issuer (RFC 8414 §2: no query or fragment). */
const ownAddress = webAddress.refine((v) => {
  const { username, password, search, hash } = new URL(v);
  return username + password + search + hash === '';
}, 'must not contain a user name, password, query or fragment');
const addressOf = (protocols: string[]) =>
  z
    .string()
    .refine(
      (v) => URL.canParse(v) && protocols.includes(new URL(v).protocol),
      `must be the address of one server, starting with ${protocols.join('// or ')}//`,
    );

/** IPv6 addresses are often written in brackets, as in URLs: Bun would listen at that form, but nothing connects to it. */
const listenHost = z
  .string()
  .transform((v) => /^\[(.*)\]$/.exec(v)?.[1] ?? v)
  .refine((v) => isIP(v) !== 0 || hostName.test(v), 'must be an IP address or a host name, without a port');
/** Not only digits: `300.1.1.1` and `8080` are mistakes. */
const hostName = /^(?![\d.]+$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?$/;

/** `name=value,…` with percent-encoded values, as OpenTelemetry defines it. */
const headerList = z
  .string()
  .regex(/^\s*[\w.-]+=[^,]*(,\s*[\w.-]+=[^,]*)*$/, 'must be name=value pairs, separated by commas')
  .refine((text) => !/%(?![0-9a-fA-F]{2})/.test(text), 'must percent-encode its values')
  .transform((text) => Object.fromEntries(text.split(',').map(headerPair)));
function headerPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())];
}

/** Each variable with its rule; absent ones take the default. */
const rules = {
  PORT: whole(0, 65_535).default(3000),
  HOST: listenHost.default('127.0.0.1'),
  BASE_URL: ownAddress.optional(),
  WEB_URL: ownAddress.optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: addressOf(['postgres:', 'postgresql:']).optional(),
  DATABASE_POOL: whole(1, 200).default(10),
  REDIS_URL: addressOf(['redis:', 'rediss:']).optional(),
  REDIS_PREFIX: z.string().min(1).default('svc:'),
  S3_BUCKET: z.string().optional(),
  S3_ENDPOINT: webAddress.optional(),
  S3_REGION: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  SMTP_URL: addressOf(['smtp:', 'smtps:']).optional(),
  MAIL_FROM: z
    .string()
    .max(320, 'must have at most 320 characters')
    .regex(
      /^(?:[^\p{Cc}<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u,
      'must be an address, or a name and <address>',
    )
    .optional(),
  WORKERS: whole(1, 64).default(1),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,32}$/, 'must be 3-32 characters of A-Za-z0-9_.-')
    .default('root'),
  ADMIN_PASSWORD: z
    .string()
    .min(8, 'must be at least 8 characters')
    .max(128, 'must be at most 128 characters')
    .optional(),
  ENCRYPTION_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits (32 bytes)')
    .optional(),
  ENCRYPTION_KEY_OLD: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits (32 bytes)')
    .optional(),
  DEMO_PROVIDER: oneOf('auto', 'on', 'off').default('auto'),
  METRICS_TOKEN: z.string().min(1).optional(),
  TRUSTED_PROXIES: z.string().default(''),
  ALLOW_PRIVATE_WEBHOOKS: flag.default(false),
  PROXY_RESOLVES_NAMES: flag.default(false),
  MCP_ASSERTIONS_DIR: z.string().min(1).optional(),
  DRAIN_SECONDS: whole(0, 3600).default(30),
  VIDEO_JOB_TTL: whole(1, 604_800).default(3600),
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.default({}),
  OAUTH2_ACCESS_TOKEN_TTL: whole(1, 31_536_000).optional(),
  OAUTH2_REFRESH_TOKEN_TTL: whole(1, 315_360_000).optional(),
  OAUTH2_CODE_TTL: whole(1, 86_400).optional(),
  OPENID_CONNECT: flag.optional(),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: webAddress.optional(),
} as const;

const pairs = [
  ['SMTP_URL', 'MAIL_FROM'],
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
] as const;
const ofBuckets = ['S3_ENDPOINT', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

type Environment = Record<string, string | undefined>;
type Values = { [K in keyof typeof rules]: z.output<(typeof rules)[K]> };

export interface Config {
  port: number;
  host: string;
  baseUrl: string;
  webUrl: string;
  dataDir: string;
  databaseUrl?: string;
  databasePool: number;
  redisUrl?: string;
  redisPrefix: string;
  s3?: S3Config;
  /** Absent: no mail is sent. */
  mail?: { url: string; from: string };
  /** Absent: no payments. */
  stripe?: { secretKey: string; webhookSecret: string; apiUrl?: string | undefined };
  workers: number;
  admin: { username: string; password?: string };
  encryptionKey?: string;
  encryptionKeyOld?: string;
  demoProvider: 'auto' | 'on' | 'off';
  metricsToken?: string;
  trustedProxies: string[];
  /**
   * Whether user-supplied addresses may be private. Never guessed: a service on loopback may be published by a proxy.
   */
  allowPrivateAddresses: boolean;
  /** Where the platform provides identity tokens that the service exchanges at MCP servers. */
  assertionsDir?: string;
  drainMs: number;
  videoJobTtlSeconds: number;
  logLevel: string;
  otelEndpoint?: string;
  otelHeaders: Record<string, string>;
  /** Provider keys by the name of their variable. */
  providerKeys: Record<string, string>;
  /** A proxy is configured, or certificates are not verified: only `fetch` supports that. */
  fetchOnly?: boolean;
  outgoingProxy?: OutgoingProxy;
  /** Defaults of runtime options set by the environment. */
  optionDefaults: Record<string, number | boolean>;
}

export class ConfigFaults extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n- ${faults.join('\n- ')}`,
    );
  }
}

/** Vendors' variables: each holds a key, or the address of a server that needs none. */
const vendorRules = (rows: readonly Vendor[]): Record<string, z.ZodType<string | undefined>> =>
  Object.fromEntries(
    rows
      .filter(({ env }) => env !== '')
      .map(({ env, keyUrl }) => [env, keyUrl === '' ? webAddress.optional() : z.string().optional()]),
  );

/** Pure: environment in, configuration out, or all errors at once. */
export function readConfig(environment: Environment, rows = vendors): Config {
  const faults: string[] = [];
  // Of secrets that are read from files, and of files with settings that were written on Windows.
  const givenFor = (name: string): string => trimEndOf(environment[name] ?? '', '\r\n');
  const readAll = (all: Record<string, z.ZodType>): Record<string, unknown> => {
    const values: Record<string, unknown> = {};
    for (const [name, rule] of Object.entries(all)) {
      const parsed = rule.safeParse(givenFor(name) || undefined);
      if (!parsed.success) faults.push(`${name} ${parsed.error.issues[0]!.message}`);
      else if (parsed.data !== undefined) values[name] = parsed.data;
    }
    return values;
  };
  const read = readAll(rules) as Values;
  const providerKeys = readAll(vendorRules(rows)) as Record<string, string>;
  // By what was given: an invalid value has been reported, and is not missing as well.
  const has = (name: keyof typeof rules): boolean => givenFor(name) !== '';
  if ((read.WORKERS ?? 1) > 1 && !(has('DATABASE_URL') && has('REDIS_URL')))
    faults.push('WORKERS above 1 requires PostgreSQL and Redis: set DATABASE_URL and REDIS_URL, or leave WORKERS at 1');
  if (has('S3_BUCKET') && !(has('S3_ACCESS_KEY_ID') && has('S3_SECRET_ACCESS_KEY')))
    faults.push('S3_BUCKET requires S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  // Otherwise files would silently stay on this disk, which in a container is gone with it.
  const ofBucket = ofBuckets.find(has);
  if (ofBucket && !has('S3_BUCKET')) faults.push(`${ofBucket} requires S3_BUCKET`);
  for (const [one, other] of pairs)
    if (has(one) !== has(other)) faults.push(`${one} and ${other} must be set together: set both or neither`);
  for (const block of (read.TRUSTED_PROXIES ?? '').split(',').filter(Boolean))
    if (!parseBlock(block))
      faults.push(`TRUSTED_PROXIES contains ${JSON.stringify(block)}, which is not an IP address or CIDR block`);
  if (faults.length > 0) throw new ConfigFaults(faults);
  const outgoingProxy = { ...readOutgoingProxy(environment), proxyResolves: read.PROXY_RESOLVES_NAMES };
  return { ...assemble(read), providerKeys, fetchOnly: needsFetch(environment), outgoingProxy };
}

/** Variables that Bun itself reads. */
const needsFetch = (environment: Environment): boolean =>
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => environment[name]) ||
  environment.NODE_TLS_REJECT_UNAUTHORIZED === '0';

function assemble(read: Values): Omit<Config, 'providerKeys'> {
  const baseUrl = read.BASE_URL ?? `http://localhost:${read.PORT}`;
  const optionDefaults = Object.entries({
    OAuth2AccessTokenTTL: read.OAUTH2_ACCESS_TOKEN_TTL,
    OAuth2RefreshTokenTTL: read.OAUTH2_REFRESH_TOKEN_TTL,
    OAuth2CodeTTL: read.OAUTH2_CODE_TTL,
    OAuth2OpenIDConnect: read.OPENID_CONNECT,
  }).filter((entry): entry is [string, number | boolean] => entry[1] !== undefined);
  return {
    port: read.PORT,
    host: read.HOST,
    baseUrl,
    webUrl: read.WEB_URL ?? baseUrl,
    dataDir: read.DATA_DIR,
    databaseUrl: read.DATABASE_URL,
    databasePool: read.DATABASE_POOL,
    redisUrl: read.REDIS_URL,
    redisPrefix: read.REDIS_PREFIX,
    s3: read.S3_BUCKET
      ? {
          bucket: read.S3_BUCKET,
          endpoint: read.S3_ENDPOINT,
          region: read.S3_REGION,
          accessKeyId: read.S3_ACCESS_KEY_ID!,
          secretAccessKey: read.S3_SECRET_ACCESS_KEY!,
        }
      : undefined,
    ...(read.SMTP_URL && read.MAIL_FROM && { mail: { url: read.SMTP_URL, from: read.MAIL_FROM } }),
    stripe:
      read.STRIPE_SECRET_KEY && read.STRIPE_WEBHOOK_SECRET
        ? {
            secretKey: read.STRIPE_SECRET_KEY,
            webhookSecret: read.STRIPE_WEBHOOK_SECRET,
            apiUrl: read.STRIPE_API_URL,
          }
        : undefined,
    workers: read.WORKERS,
    admin: { username: read.ADMIN_USERNAME, password: read.ADMIN_PASSWORD },
    encryptionKey: read.ENCRYPTION_KEY,
    encryptionKeyOld: read.ENCRYPTION_KEY_OLD,
    demoProvider: read.DEMO_PROVIDER,
    metricsToken: read.METRICS_TOKEN,
    trustedProxies: read.TRUSTED_PROXIES.split(',')
      .map((s) => s.trim())
      .filter(Boolean),
    allowPrivateAddresses: read.ALLOW_PRIVATE_WEBHOOKS,
    assertionsDir: read.MCP_ASSERTIONS_DIR,
    drainMs: read.DRAIN_SECONDS * 1000,
    videoJobTtlSeconds: read.VIDEO_JOB_TTL,
    logLevel: read.LOG_LEVEL,
    otelEndpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
    otelHeaders: read.OTEL_EXPORTER_OTLP_HEADERS,
    optionDefaults: Object.fromEntries(optionDefaults),
  };
}
