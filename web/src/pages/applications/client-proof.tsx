import { Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { t } from '../../language/words.ts';
import type { ApplicationFaults, ClientProof, OpenidFields } from './application-fields.ts';

interface ClientProofFieldsProps {
  value: OpenidFields;
  faults: ApplicationFaults;
  onChange: (value: OpenidFields) => void;
}

const ways: { value: ClientProof; label: string; description: string }[] = [
  { value: 'secret', label: t('Client secret'), description: t('Text that your server sends with each request') },
  {
    value: 'keys',
    label: t('Keys entered here'),
    description: t('Your server signs with its own private key (private_key_jwt); no secret is sent'),
  },
  {
    value: 'address',
    label: t('Keys at an address'),
    description: t('The same, but the public keys are read from your server, where you can change them'),
  },
];

/** How a confidential application authenticates. */
export function ClientProofFields({ value, faults, onChange }: ClientProofFieldsProps) {
  const set = (changes: Partial<OpenidFields>) => onChange({ ...value, ...changes });
  return (
    <Stack>
      <Radio.Group
        label={t('Client authentication')}
        value={value.proof}
        onChange={(proof) => set({ proof: ways.find((way) => way.value === proof)?.value ?? 'secret' })}
      >
        <Stack gap="xs" mt="xs">
          {ways.map((way) => (
            <Radio key={way.value} {...way} />
          ))}
        </Stack>
      </Radio.Group>
      {value.proof === 'keys' && (
        <Textarea
          label={t('Public keys')}
          description={t(
            'A JSON Web Key Set of signing keys: EC, RSA or Ed25519. Never enter private keys. While you rotate keys, enter both the old and the new one.',
          )}
          placeholder='{"keys": [{"kty": "EC", "crv": "P-256", "kid": "…", "x": "…", "y": "…"}]}'
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: 'monospace' } }}
          required
          value={value.jwks}
          onChange={(event) => set({ jwks: event.currentTarget.value })}
          error={faults.jwks}
        />
      )}
      {value.proof === 'address' && (
        <TextInput
          type="url"
          label={t('Public key address')}
          description={t('An https address that returns a JSON Web Key Set without redirects')}
          placeholder="https://"
          required
          value={value.jwks_uri}
          onChange={(event) => set({ jwks_uri: event.currentTarget.value })}
          error={faults.jwks_uri}
        />
      )}
    </Stack>
  );
}
