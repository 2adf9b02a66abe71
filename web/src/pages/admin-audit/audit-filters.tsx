import { Button, Group, Select } from '@mantine/core';
import { DayInput } from '../../components/day-input.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { t } from '../../language/words.ts';
import { eventChoices } from './audit-events.ts';
import { type AuditState, auditDefaults } from './audit-state.ts';

interface AuditFiltersProps {
  state: AuditState;
  set: (changes: Partial<AuditState>) => void;
}

export function AuditFilters({ state, set }: AuditFiltersProps) {
  const change = (changes: Partial<AuditState>) => set({ ...changes, page: '1' });
  const filtered = Object.entries(auditDefaults).some(
    ([name, value]) => name !== 'page' && state[name as keyof AuditState] !== value,
  );
  const date = (name: 'from' | 'to', label: string) => (
    <DayInput
      label={label}
      value={state[name]}
      onChange={(day) => change({ [name]: day })}
      w={{ base: '100%', xs: 150 }}
    />
  );
  const search = (name: 'actor' | 'target', label: string) => (
    <SearchInput
      label={label}
      labelled
      placeholder={t('Name or ID')}
      width={200}
      value={state[name]}
      onChange={(text) => change({ [name]: text })}
    />
  );
  return (
    <Group
      mb="md"
      gap="sm"
      align="flex-end"
      role="search"
      aria-label={t('Filter the audit log')}
      className="svc-filters svc-filters-odd"
    >
      <Select
        label={t('Event')}
        placeholder={t('All events')}
        data={eventChoices}
        value={state.action || null}
        onChange={(action) => change({ action: action ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('All events') }}
        w={{ base: '100%', xs: 220 }}
      />
      {search('actor', t('Who'))}
      {search('target', t('Target##audit'))}
      {date('from', t('From'))}
      {date('to', t('To'))}
      {state.user !== '' && (
        <AnchorLink to={`/admin/users/${state.user}`} size="sm" underline="always" mb={8}>
          {t('User {user} only', { user: state.user })}
        </AnchorLink>
      )}
      {filtered && (
        <Button variant="subtle" onClick={() => set(auditDefaults)}>
          {t('Clear')}
        </Button>
      )}
    </Group>
  );
}
