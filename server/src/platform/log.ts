import pino from 'pino';

export type Log = pino.Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Fields that hold secrets wherever they appear; a last line of defence, since they are not logged in the first place.
 */
const secretFields = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  '["x-api-key"]',
  '["api-key"]',
  '["x-goog-api-key"]',
  'password',
  'current_password',
  'client_secret',
  'client_secret_plain',
  'credential',
  'token',
  'access_token',
  'refresh_token',
  'code',
  'code_verifier',
  'key',
];
const at = (prefix: string) =>
  secretFields.map((field) => (field.startsWith('[') ? `${prefix}${field}` : `${prefix}.${field}`));

export function openLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    redact: { paths: [...at('headers'), ...at('body'), ...at('*'), 'password', 'credential'], censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: withoutSecrets },
  };
  // Synchronous writes: the last log line before a crash is the one that matters.
  return destination ? pino(options, destination) : pino(options, pino.destination({ dest: 1, sync: true }));
}

/** The level of the option, or the one the process was started with. */
export function setLogLevel(log: Log, wanted: string, started: string): void {
  log.level = wanted === '' ? started : wanted;
}

const secretShapes = /\b(sk-|svcsec_|svcat_|svcrt_|svcdc_)[A-Za-z0-9_-]{8,}/g;

export const maskSecrets = (text: string): string => text.replace(secretShapes, '$1[redacted]');

function withoutSecrets(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? maskSecrets(error) : error;
  return {
    name: error.name,
    message: maskSecrets(error.message),
    stack: error.stack ? maskSecrets(error.stack) : undefined,
  };
}
