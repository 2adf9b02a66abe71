/**
 * Components that appear only after a user action (a dialog, a message) are loaded after the page, from a separate
 * file. routes.tsx sets which file: importing it here would be circular.
 */
import { type ComponentType, createElement, useEffect, useState } from 'react';
import type { AddedProviderProps } from './components/added-provider.tsx';
import type { NavigationDrawerProps } from './components/navigation-drawer.tsx';
import type { SessionEndedDialogProps } from './components/session-ended-dialog.tsx';
import type { StepUpDialogProps } from './components/step-up-dialog.tsx';
import type { PaletteProps } from './palette/palette.tsx';

interface PropsOf {
  AddedProvider: AddedProviderProps;
  NavigationDrawer: NavigationDrawerProps;
  Palette: PaletteProps;
  SessionEndedDialog: SessionEndedDialogProps;
  StepUpDialog: StepUpDialogProps;
  Toasts: object;
}
type Later = { [Name in keyof PropsOf]: ComponentType<PropsOf[Name]> };

let here: Later | undefined;
let fetchLater!: () => Promise<Later>;

export function setLazyLoader(load: () => Promise<Later>): void {
  fetchLater = load;
}

/** Called ahead of time, so that users do not wait for the components. */
export async function loadLazyComponents(): Promise<Later> {
  here ??= await fetchLater();
  return here;
}

const againMs = 2_000;

/**
 * Renders nothing until the component is loaded. A failed load is retried for as long as the placeholder is mounted.
 */
export function lazyComponent<Name extends keyof PropsOf>(name: Name): ComponentType<PropsOf[Name]> {
  return function Later(props: PropsOf[Name]) {
    const [come, setCome] = useState(here);
    useEffect(() => {
      if (come) return;
      let wanted = true;
      const ask = () => {
        if (wanted) loadLazyComponents().then(setCome, () => setTimeout(ask, againMs));
      };
      ask();
      return () => {
        wanted = false;
      };
    }, [come]);
    return come ? createElement<PropsOf[Name]>(come[name], props) : null;
  };
}
