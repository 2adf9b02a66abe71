import { Badge } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { t } from '../language/words.ts';
import { notifySuccess } from './notify.ts';
import type { RowAct } from './row-menu.tsx';

/** Whether something can be used, how that is changed, and what is said once it is. */
export const SwitchedBadge = ({ on }: { on: boolean }) => (
  <Badge color={on ? 'teal' : 'gray'}>{on ? t('Enabled') : t('Disabled')}</Badge>
);

export const switchAct = (on: boolean, onClick: () => void): RowAct =>
  on ? { label: t('Disable'), icon: IconPlayerPause, onClick } : { label: t('Enable'), icon: IconPlayerPlay, onClick };

export const notifySwitched = (name: string, on: boolean): void =>
  notifySuccess(on ? t('{name} is enabled', { name }) : t('{name} is disabled', { name }));
