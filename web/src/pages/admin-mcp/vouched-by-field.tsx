import { Anchor, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { t } from '../../language/words.ts';
import { vouchersQuery } from '../admin-identity-providers/identity-providers.ts';

interface VouchedByFieldProps {
  /** The provider's slug; empty: none. */
  value: string;
  error: string | undefined;
  onChange: (slug: string) => void;
}

/** Selects the identity provider that vouches for users at this server. */
export function VouchedByField({ value, error, onChange }: VouchedByFieldProps) {
  const { data: providers } = useQuery(vouchersQuery);
  const known = (providers ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
  // A stored provider that may no longer vouch is still shown, by its slug.
  const data = value === '' || known.some((one) => one.value === value) ? known : [...known, { value, label: value }];
  return (
    <>
      <Select
        label={t('Identity provider')}
        description={t('Asserts each user’s identity to the server; users sign in to this service through it')}
        required
        allowDeselect={false}
        data={data}
        value={value === '' ? null : value}
        error={error}
        onChange={(slug) => onChange(slug ?? '')}
      />
      {providers?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('No identity provider asserts user identity yet.')}{' '}
          <Anchor component={Link} to="/admin/identity-providers" size="sm" underline="always">
            {t('Set one up')}
          </Anchor>
        </Text>
      )}
    </>
  );
}
