import { Button, Group, Select, TextInput } from '@mantine/core';
import { AnchorLink } from '../../components/link.tsx';
import { SearchInput } from '../../components/search-input.tsx';
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
    <TextInput
      type="date"
      label={label}
      value={state[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      w={{ base: '47%', xs: 150 }}
    />
  );
  const search = (name: 'actor' | 'target', label: string) => (
    <SearchInput
      label={label}
      placeholder={`${label}: name or id`}
      width={200}
      value={state[name]}
      onChange={(text) => change({ [name]: text })}
    />
  );
  return (
    <Group mb="md" gap="sm" align="flex-end" role="search" aria-label="Filter the audit log">
      <Select
        label="Event"
        placeholder="All events"
        data={eventChoices}
        value={state.action || null}
        onChange={(action) => change({ action: action ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All events' }}
        w={{ base: '100%', xs: 220 }}
      />
      {search('actor', 'Who')}
      {search('target', 'What')}
      {date('from', 'From')}
      {date('to', 'To')}
      {state.user !== '' && (
        <AnchorLink to={`/admin/users/${state.user}`} size="sm" underline="always" mb={8}>
          Only of user {state.user}
        </AnchorLink>
      )}
      {filtered && (
        <Button variant="subtle" onClick={() => set(auditDefaults)}>
          Clear
        </Button>
      )}
    </Group>
  );
}
