import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../language/words.ts';
import { lazyComponent } from '../lazy-components.tsx';

const Palette = lazyComponent('Palette');

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A dialog is already open, and may hold unsent input. */
const isCovered = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/** Opens the command palette. */
export function PaletteButton() {
  const [opened, setOpened] = useState<boolean>();
  const open = () => {
    if (!isCovered()) setOpened(true);
  };
  // Also active while typing in a field: no other shortcut uses these keys.
  useHotkeys([['mod+K', open]], [], true);
  return (
    <>
      <Button
        variant="default"
        color="gray"
        className="svc-palette-button"
        leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
        rightSection={<Kbd size="xs">{isMac ? '⌘ K' : 'Ctrl K'}</Kbd>}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        {t('Search')}
      </Button>
      {opened !== undefined && <Palette opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}
