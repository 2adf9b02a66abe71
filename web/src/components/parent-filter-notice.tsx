import { Button, Group, Text } from '@mantine/core';
import { rich, t } from '../language/words.ts';

/** Says that a list is limited to the calls of one turn or run, with a button to show all. */
export function ParentFilterNotice({ parent, onAll }: { parent: string; onAll: () => void }) {
  return (
    <Group gap="xs" role="status">
      <Text size="sm" className="svc-anywhere">
        {rich('Showing only calls of {parent}', { parent: <span className="svc-number">{parent}</span> })}
      </Text>
      <Button size="compact-sm" variant="default" onClick={onAll}>
        {t('Show all')}
      </Button>
    </Group>
  );
}
