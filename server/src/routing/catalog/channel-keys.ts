import type { Sealer } from '../../lib/seal.ts';
import type { Channel, Credential, CredentialLimits } from '../candidate.ts';
import type { ChannelRecord } from './store/channels.ts';
import type { CredentialRecord } from './store/credentials.ts';
import { enabled } from './store/tables.ts';

/** The decrypted keys of a channel. */
export type ChannelKeys = Pick<Channel, 'credential' | 'credentials'>;

type OnTrouble = ((message: string, error: unknown) => void) | undefined;

/**
 * Decrypts each secret once: when the catalog is loaded again, only what a change brought. `next` begins a load, and
 * forgets what the one before it did not need.
 */
export function openedOnce(sealer: Pick<Sealer, 'open'>): { next(): Pick<Sealer, 'open'> } {
  let last = new Map<string, string>();
  return {
    next: () => {
      const before = last;
      const needed = new Map<string, string>();
      last = needed;
      return {
        open: (sealed) => {
          const secret = before.get(sealed) ?? sealer.open(sealed);
          needed.set(sealed, secret);
          return secret;
        },
      };
    },
  };
}

/** Decrypts the keys of channels; null if none of a channel's keys can be used. */
export function keyOpener(
  sealer: Pick<Sealer, 'open'>,
  credentials: readonly CredentialRecord[],
  onTrouble: OnTrouble,
) {
  const byChannel = Map.groupBy(credentials, ({ channelId }) => channelId);
  const opened = (sealed: string, trouble: string): string | null => {
    try {
      return sealer.open(sealed);
    } catch (error) {
      onTrouble?.(trouble, error);
      return null;
    }
  };
  return (channel: ChannelRecord): ChannelKeys | null => {
    // Rows are without key if an earlier version removed it from the channel's row.
    const rows = (byChannel.get(channel.id) ?? []).filter(({ sealed }) => sealed !== '');
    if (rows.length > 1) return keysOf(usable(channel, rows, opened));
    const [row] = rows;
    if (row && row.status !== enabled) return null;
    const sealed = row?.sealed ?? channel.sealedCredential;
    if (sealed === '') return { credential: '' };
    const secret = opened(sealed, `channel ${channel.id} is skipped: its credential cannot be decrypted`);
    if (secret === null) return null;
    return row ? keysOf([credentialOf(row, secret)]) : { credential: secret };
  };
}

function usable(
  channel: ChannelRecord,
  rows: readonly CredentialRecord[],
  opened: (sealed: string, trouble: string) => string | null,
): Credential[] {
  return rows.flatMap((row) => {
    if (row.status !== enabled) return [];
    const trouble = `credential ${row.id} of channel ${channel.id} is skipped: it cannot be decrypted`;
    const secret = opened(row.sealed, trouble);
    return secret === null ? [] : [credentialOf(row, secret)];
  });
}

function keysOf(credentials: readonly Credential[]): ChannelKeys | null {
  const [first] = credentials;
  if (!first) return null;
  // A channel's own key without limits only needs the channel's own circuit.
  const plain = credentials.length === 1 && first.limits === null && first.first;
  return { credential: first.secret, ...(!plain && { credentials: Object.freeze([...credentials]) }) };
}

const credentialOf = (row: CredentialRecord, secret: string): Credential => ({
  id: row.id,
  secret,
  first: row.first,
  weight: row.weight,
  limits: limitsOf(row),
});

function limitsOf({ requestsPerMinute, tokensPerMinute, spendPerDay }: CredentialRecord): CredentialLimits | null {
  if (requestsPerMinute === null && tokensPerMinute === null && spendPerDay === null) return null;
  return { requestsPerMinute, tokensPerMinute, spendPerDay };
}
