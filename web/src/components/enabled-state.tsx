import { Badge } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { t } from '../language/words.ts';
import { notifySuccess } from './notify.ts';
import type { RowAct } from './row-menu.tsx';

/** Badge, menu action and message for things that can be enabled and disabled. */
export const EnabledBadge = ({ on }: { on: boolean }) => (
  <Badge color={on ? 'teal' : 'gray'}>{on ? t('Enabled') : t('Disabled')}</Badge>
);

export const toggleAct = (on: boolean, onClick: () => void): RowAct =>
  on ? { label: t('Disable'), icon: IconPlayerPause, onClick } : { label: t('Enable'), icon: IconPlayerPlay, onClick };

export const notifyToggled = (name: string, on: boolean): void =>
  notifySuccess(on ? t('{name} is enabled', { name }) : t('{name} is disabled', { name }));
