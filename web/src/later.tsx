/**
 * What a page shows only once somebody does something (a dialog, a message) comes after the page, with its own file.
 * Which file that is, routes.tsx says: here it would be imported in circles.
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

export function laterComesFrom(load: () => Promise<Later>): void {
  fetchLater = load;
}

/** In time, so that nobody waits for it. */
export async function bringLater(): Promise<Later> {
  here ??= await fetchLater();
  return here;
}

const againMs = 2_000;

/** Shows nothing until it has come; without a network it is asked for again and again, for as long as somebody waits. */
export function later<Name extends keyof PropsOf>(name: Name): ComponentType<PropsOf[Name]> {
  return function Later(props: PropsOf[Name]) {
    const [come, setCome] = useState(here);
    useEffect(() => {
      if (come) return;
      let wanted = true;
      const ask = () => {
        if (wanted) bringLater().then(setCome, () => setTimeout(ask, againMs));
      };
      ask();
      return () => {
        wanted = false;
      };
    }, [come]);
    return come ? createElement<PropsOf[Name]>(come[name], props) : null;
  };
}
