import { Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentType, useState } from 'react';
import { t } from '../language/words.ts';
import { notifyError } from './notify.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Something lies over the page already, and may hold what was typed. */
const isCovered = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/** Opens the palette, which comes with the first opening. */
export function PaletteButton() {
  const [Palette, setPalette] = useState<ComponentType<{ opened: boolean; onClose: () => void }> | null>(null);
  const [opened, setOpened] = useState(false);
  const open = async () => {
    if (isCovered()) return;
    try {
      const module = await import('../palette/palette.tsx');
      setPalette(() => module.Palette);
      setOpened(true);
    } catch (error) {
      notifyError(error);
    }
  };
  // Also while typing: nothing else has these keys.
  useHotkeys([['mod+K', () => void open()]], [], true);
  return (
    <>
      <Button
        variant="default"
        color="gray"
        className="svc-palette-button"
        leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
        rightSection={<Kbd size="xs">{isMac ? '⌘ K' : 'Ctrl K'}</Kbd>}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => void open()}
      >
        {t('Search')}
      </Button>
      {Palette && <Palette opened={opened} onClose={() => setOpened(false)} />}
    </>
  );
}
