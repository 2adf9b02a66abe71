import { Loader, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';

/** How saving one setting goes. Inline, so that while there is nothing to say it takes no line of its own. */
export function SavedMark({ act }: { act: { isPending: boolean; isSuccess: boolean } }) {
  return (
    <span role="status">
      {act.isPending && <Loader size={14} aria-label="Saving" style={{ verticalAlign: 'middle' }} />}
      {act.isSuccess && !act.isPending && (
        <>
          <IconCheck
            size={15}
            color="var(--mantine-color-teal-light-color)"
            style={{ verticalAlign: 'middle', marginRight: 4 }}
            aria-hidden
          />
          <Text span size="xs" c="dimmed">
            Saved
          </Text>
        </>
      )}
    </span>
  );
}
