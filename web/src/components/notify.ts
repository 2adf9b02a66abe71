import { notifications } from '@mantine/notifications';
import { ApiError } from '../api.ts';

export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** For acts without a place of their own on the page to show a failure. */
export function notifyError(error: unknown): void {
  const requestId = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  const message = error instanceof Error ? error.message : String(error);
  notifications.show({ message: `${message}${requestId}`, color: 'red', autoClose: 10_000 });
}
