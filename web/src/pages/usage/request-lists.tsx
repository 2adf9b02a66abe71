import { Button, Group, SegmentedControl, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { AnchorLink } from '../../components/link.tsx';
import { t } from '../../language/words.ts';
import { useOpened, usePage } from '../../use-url-state.ts';
import { FailedRequests } from './failed-requests.tsx';
import { UsageLogs } from './usage-logs.tsx';
import { csvAddress, ofParent, type UsageFilter, type UsageState } from './usage-range.ts';

interface RequestListsProps {
  state: UsageState;
  set: (changes: Partial<UsageState>) => void;
  filter: UsageFilter;
}

const lists = [
  { value: 'answered', label: t('Answered') },
  { value: 'failed', label: t('Failed') },
];

/** All requests, answered or failed. */
export function RequestLists({ state, set, filter }: RequestListsProps) {
  const [page, onPage] = usePage();
  const failed = state.show === 'failed' && state.parent === '';
  const narrowed = state.parent === '' ? filter : ofParent(state.parent);
  const [open, onOpen] = useOpened();
  const list = { page, onPage, open, onOpen };
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Group gap="sm">
          <Title order={2}>{t('Requests')}</Title>
          {state.parent === '' && (
            <SegmentedControl
              size="xs"
              aria-label={t('Requests to show')}
              data={lists}
              value={failed ? 'failed' : 'answered'}
              onChange={(show) => set({ show, page: '1', open: '' })}
            />
          )}
          <AnchorLink
            to="/requests"
            search={state.parent === '' ? {} : { parent: state.parent }}
            size="sm"
            underline="always"
          >
            {t('All requests, including failed ones')}
          </AnchorLink>
        </Group>
        {!failed && (
          <Button
            component="a"
            href={csvAddress(narrowed)}
            download
            variant="default"
            size="sm"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t('Download CSV')}
          </Button>
        )}
      </Group>
      {failed ? (
        <FailedRequests
          {...list}
          filter={filter}
          everybody={state.everybody === '1'}
          onEverybody={(everybody) => set({ everybody: everybody ? '1' : '', page: '1', open: '' })}
        />
      ) : (
        <UsageLogs {...list} filter={narrowed} />
      )}
    </section>
  );
}
