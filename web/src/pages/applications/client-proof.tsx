import { Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { t } from '../../language/words.ts';
import type { ApplicationFaults, ClientProof, OpenidFields } from './application-fields.ts';

interface ClientProofFieldsProps {
  value: OpenidFields;
  faults: ApplicationFaults;
  onChange: (value: OpenidFields) => void;
}

const ways: { value: ClientProof; label: string; description: string }[] = [
  { value: 'secret', label: t('Client secret'), description: t('A text that your server sends along') },
  {
    value: 'keys',
    label: t('Keys given here'),
    description: t('Your server signs by a private key of its own (private_key_jwt); nothing secret is sent'),
  },
  {
    value: 'address',
    label: t('Keys at an address'),
    description: t('The same, with public keys that are read from your server, so that you can change them there'),
  },
];

/** How a confidential application authenticates. */
export function ClientProofFields({ value, faults, onChange }: ClientProofFieldsProps) {
  const set = (changes: Partial<OpenidFields>) => onChange({ ...value, ...changes });
  return (
    <Stack>
      <Radio.Group
        label={t('How it proves itself')}
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
            'A JSON Web Key Set with keys for signatures: EC, RSA or Ed25519. Keep the private halves to yourself. While you change keys, name both.',
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
          label={t('Address of the public keys')}
          description={t('An https address that answers with a JSON Web Key Set, without redirects')}
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
