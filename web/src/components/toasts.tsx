import { Notifications } from '@mantine/notifications';

/** Container for the notifications of notify.ts. */
export const Toasts = () => <Notifications />;
