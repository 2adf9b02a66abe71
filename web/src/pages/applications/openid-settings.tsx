import { Accordion, Alert, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../language/words.ts';
import { isAdmin, useUser } from '../../session.ts';
import { emptyOpenid, type OpenidFields } from './application-fields.ts';
import { discoveryQuery } from './application-queries.ts';

interface OpenidSettingsProps {
  /** Null while OpenID Connect is turned off. */
  value: OpenidFields | null;
  onChange: (value: OpenidFields) => void;
}

/**
 * Every application has the scope `openid`, but ID tokens, which libraries expect with it, must be turned on by the
 * operator.
 */
function TurnedOff() {
  const user = useUser();
  const { data: discovery } = useQuery(discoveryQuery);
  if (!isAdmin(user) || !discovery || discovery.jwks_uri) return null;
  return (
    <Alert variant="light" color="indigo" title={t('ID tokens are turned off')}>
      {t(
        'OpenID Connect libraries request the openid scope and expect an ID token. Turn this on with the option OAuth2OpenIDConnect.',
      )}
    </Alert>
  );
}

const switches = [
  {
    name: 'require_pushed_requests',
    label: t('Require pushed authorization requests'),
    description: t('Your server submits the request first (RFC 9126); browsers carry only a reference to it'),
  },
  {
    name: 'dpop_bound_access_tokens',
    label: t('Require key-bound tokens'),
    description: t('No tokens without a DPoP proof (RFC 9449); a stolen token cannot be used without the key'),
  },
  {
    name: 'send_iss',
    label: t('Include the issuer in redirects'),
    description: t('Turn off only for libraries that reject an unexpected iss parameter'),
  },
  {
    name: 'token_exchange',
    label: t('Allow token exchange'),
    description: t('For agents: exchange a user’s token for one of its own with no extra permissions (RFC 8693)'),
  },
] as const;

const texts = [
  ...(['post_logout_redirect_uris', 'backchannel_logout_uri'] as const),
  ...(['id_token_signed_response_alg', 'token_exchange_clients'] as const),
];
const isUsual = (value: OpenidFields): boolean =>
  [...texts, ...switches.map(({ name }) => name)].every((name) => value[name] === emptyOpenid[name]);

/** Collapsed if nothing is set, as for most applications. */
export function OpenidSettings({ value, onChange }: OpenidSettingsProps) {
  if (!value) return <TurnedOff />;
  const set = (changes: Partial<OpenidFields>) => onChange({ ...value, ...changes });
  return (
    <Accordion variant="contained" defaultValue={isUsual(value) ? null : 'openid'}>
      <Accordion.Item value="openid">
        <Accordion.Control>OpenID Connect</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <Textarea
              label={t('Redirect addresses after logout')}
              description={t('One per line; must match exactly')}
              autosize
              minRows={2}
              value={value.post_logout_redirect_uris}
              onChange={(event) => set({ post_logout_redirect_uris: event.currentTarget.value })}
            />
            <TextInput
              type="url"
              label={t('Logout address')}
              description={t(
                'Optional. Receives a signed token when a user’s session on this service ends (back-channel logout).',
              )}
              placeholder="https://"
              value={value.backchannel_logout_uri}
              onChange={(event) => set({ backchannel_logout_uri: event.currentTarget.value })}
            />
            <Select
              label={t('ID token signature')}
              data={['RS256', 'ES256']}
              allowDeselect={false}
              value={value.id_token_signed_response_alg}
              onChange={(alg) => set({ id_token_signed_response_alg: alg === 'ES256' ? 'ES256' : 'RS256' })}
            />
            {switches.map(({ name, label, description }) => (
              <Switch
                key={name}
                label={label}
                description={description}
                checked={value[name]}
                onChange={(event) => set({ [name]: event.currentTarget.checked })}
              />
            ))}
            <Textarea
              label={t('Clients that can act for it')}
              description={t('Client IDs, one per line, that can exchange tokens users granted to this application')}
              autosize
              minRows={1}
              value={value.token_exchange_clients}
              onChange={(event) => set({ token_exchange_clients: event.currentTarget.value })}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
