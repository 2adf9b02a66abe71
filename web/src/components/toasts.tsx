import { Notifications } from '@mantine/notifications';

/** Where messages about acts stand; see notify.ts. */
export const Toasts = () => <Notifications />;
