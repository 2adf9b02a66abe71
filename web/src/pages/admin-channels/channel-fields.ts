import type { Channel } from '../../catalog.ts';
import { changedFields } from '../../changed-fields.ts';
import { t } from '../../language/words.ts';

/** Form state of a channel; numbers may be partially typed. */
export interface ChannelFields {
  name: string;
  provider: string;
  kind: string;
  base_url: string;
  /** Empty: unchanged. */
  credential: string;
  priority: number | string;
  weight: number | string;
  timeoutSeconds: number | string;
  group: string;
  models: string[];
}

interface Kind {
  value: string;
  label: string;
  /** Placeholders: what the address and the credential of such a channel look like. */
  address: string;
  credential: string;
  /** Other accepted forms of the credential. */
  about?: string;
}

export const kinds: readonly Kind[] = [
  { value: 'openai', label: t('OpenAI-compatible'), address: 'https://api.example.com/v1', credential: 'sk-…' },
  { value: 'anthropic', label: 'Anthropic', address: 'https://api.anthropic.com/v1', credential: 'sk-ant-…' },
  {
    value: 'gemini',
    label: 'Google Gemini',
    address: 'https://generativelanguage.googleapis.com/v1beta',
    credential: 'AIza…',
  },
  {
    value: 'vertex',
    label: 'Google Vertex AI',
    address: 'https://europe-west4-aiplatform.googleapis.com/v1',
    credential: '{"type": "service_account", …}',
    about: t('A complete service account key file, or an API key. Stored encrypted, never shown again'),
  },
  {
    value: 'bedrock',
    label: 'Amazon Bedrock',
    address: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    credential: 'ACCESS_KEY_ID:SECRET_ACCESS_KEY',
    about: t('A Bedrock API key, or an access key in the form ID:secret. Stored encrypted, never shown again'),
  },
  { value: 'openrouter', label: 'OpenRouter', address: 'https://openrouter.ai/api/v1', credential: 'sk-or-…' },
  { value: 'demo', label: t('Built-in simulation'), address: '', credential: '' },
];

export const kindOf = (value: string): Kind => kinds.find((kind) => kind.value === value) ?? kinds[0]!;

export const emptyChannel: ChannelFields = {
  name: '',
  provider: '',
  kind: 'openai',
  base_url: '',
  credential: '',
  priority: 0,
  weight: 1,
  timeoutSeconds: 120,
  group: 'default',
  models: [],
};

export const fieldsOf = (channel: Channel): ChannelFields => ({
  name: channel.name,
  provider: channel.provider,
  kind: channel.kind,
  base_url: channel.base_url,
  credential: '',
  priority: channel.priority,
  weight: channel.weight,
  timeoutSeconds: channel.timeout_ms / 1_000,
  group: channel.group,
  models: channel.models,
});

type Hint = Channel['credential_hint'];

/** How tables describe a stored key. */
export const keyWords = (hint: Hint): string => (hint === null ? t('Key stored') : t('Key {hint}', { hint }));
/** How forms describe it. */
export const storedWords = (hint: Hint): string => (hint ? t('Stored: {hint}', { hint }) : t('Stored'));
export const replaceWords = (hint: Hint): string =>
  hint ? t('Stored: {hint}. Enter a new key to replace it.', { hint }) : t('Stored. Enter a new key to replace it.');

export type ChannelFaults = Partial<Record<keyof ChannelFields, string>>;

/** Who receives the credential, and in which format. */
const placeOf = ({ kind, provider, base_url }: ChannelFields): string =>
  [kind, provider, URL.parse(base_url.trim())?.origin ?? base_url.trim()].join(' ');

/** A stored credential is only ever sent to the address, kind and provider it was entered for. */
export const isMoved = (fields: ChannelFields, before: ChannelFields): boolean => placeOf(fields) !== placeOf(before);

/**
 * Validation errors by field, matching the service's own checks. `stored`: the saved channel, if it has a credential.
 */
export function faultsOf(fields: ChannelFields, stored?: ChannelFields): ChannelFaults {
  const faults: ChannelFaults = {};
  if (fields.name.trim() === '') faults.name = t('Enter a name.');
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(fields.provider)) faults.provider = t('Use lower-case letters, digits and . _ -');
  const url = URL.parse(fields.base_url.trim());
  if (fields.kind !== 'demo' && !/^https?:$/.test(url?.protocol ?? ''))
    faults.base_url = t('Enter an http or https address.');
  for (const name of ['priority', 'weight', 'timeoutSeconds'] as const) {
    if (fields[name] === '') faults[name] = t('Enter a number.');
  }
  if (stored && fields.credential.trim() === '' && isMoved(fields, stored))
    faults.credential = t('Enter the credential again for the new address, kind or provider.');
  return faults;
}

type Body = Partial<Omit<Channel, 'kind'>> & { kind?: Channel['kind']; credential?: string };

/** The request body: all fields for a new channel, only the changed ones for an existing one. */
export function bodyOf(fields: ChannelFields, before?: ChannelFields): Body {
  const { timeoutSeconds, credential, ...rest } = fields;
  const whole: Record<string, unknown> = {
    ...rest,
    base_url: fields.base_url.trim(),
    priority: Number(fields.priority),
    weight: Number(fields.weight),
    timeout_ms: Math.round(Number(timeoutSeconds) * 1_000),
  };
  if (!before) return { ...whole, ...(credential && { credential }) } as Body;
  return { ...changedFields(bodyOf(before), whole), ...(credential && { credential }) } as Body;
}

/** Whether a change affects where requests are sent, or with which credential. */
export const isElsewhere = (changes: object): boolean =>
  ['base_url', 'kind', 'provider', 'credential'].some((name) => name in changes);
