import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { createElement, type ReactNode } from 'react';
import { ApiError } from '../api.ts';
import { serverText } from '../language/server-texts.ts';
import { rich, t } from '../language/words.ts';

/**
 * Passed with each message, because the container, which has a default of its own, is only loaded with the first one.
 */
const position = 'top-right';

export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'teal', position });
}

/** Opens in a new tab: notifications are outside the router, and unsent changes on the page must not be lost. */
const requestLink = (id: string): ReactNode =>
  createElement(Anchor<'a'>, { href: `/requests/${id}`, target: '_blank', inherit: true, underline: 'always' }, id);

/** For actions without a place on the page to show a failure. */
export function notifyError(error: unknown): void {
  const requestId = error instanceof ApiError ? error.requestId : null;
  const message = serverText(error instanceof Error ? error.message : String(error));
  const told = requestId ? rich('{message} (request {id})', { message, id: requestLink(requestId) }) : message;
  notifications.show({ message: told, color: 'red', autoClose: 10_000, position });
}

/** For filters of an address that cannot be. */
export function notifyIgnored(filters: string): void {
  const what = filters.length > 100 ? `${filters.slice(0, 100)}…` : filters;
  const message = t('The address asks for “{what}”, which does not exist here. It was ignored.', { what });
  notifications.show({ id: `ignored ${filters}`, message, color: 'orange', autoClose: 10_000, position });
}

/** For validation on every keystroke: replaces the message with the same id, and can be withdrawn. */
export function notifyFault(id: string, message: string): void {
  const notice = { message, color: 'red', autoClose: 10_000, position } as const;
  notifications.update({ ...notice, id: notifications.show({ ...notice, id }) });
}
export const takeBackFault = (id: string): void => void notifications.hide(id);
