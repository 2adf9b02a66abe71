import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { createElement, type ReactNode } from 'react';
import { ApiError } from '../api.ts';
import { said } from '../language/said.ts';
import { rich } from '../language/words.ts';

/** Said each time: the place that has its own idea of it comes with the first message. */
const position = 'top-right';

export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'teal', position });
}

/** What became of it, beside the page: notifications stand outside the router, and what is on the page must not be lost. */
const requestLink = (id: string): ReactNode =>
  createElement(Anchor<'a'>, { href: `/requests/${id}`, target: '_blank', inherit: true, underline: 'always' }, id);

/** For acts without a place of their own on the page to show a failure. */
export function notifyError(error: unknown): void {
  const requestId = error instanceof ApiError ? error.requestId : null;
  const message = said(error instanceof Error ? error.message : String(error));
  const told = requestId ? rich('{message} (request {id})', { message, id: requestLink(requestId) }) : message;
  notifications.show({ message: told, color: 'red', autoClose: 10_000, position });
}

/** For what may be wrong at every letter: the words take the place of those said under the same id, and can be taken back. */
export function notifyFault(id: string, message: string): void {
  const notice = { message, color: 'red', autoClose: 10_000, position } as const;
  notifications.update({ ...notice, id: notifications.show({ ...notice, id }) });
}
export const takeBackFault = (id: string): void => void notifications.hide(id);
