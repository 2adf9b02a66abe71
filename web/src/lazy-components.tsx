/**
 * Components that appear only after a user action (a dialog, a message) are loaded after the page, from a separate
 * file. routes.tsx sets which file: importing it here would be circular.
 */
import { type ComponentType, createElement } from 'react';
import type { AddedProviderProps } from './components/added-provider.tsx';
import type { NavigationDrawerProps } from './components/navigation-drawer.tsx';
import type { SessionEndedDialogProps } from './components/session-ended-dialog.tsx';
import type { StepUpDialogProps } from './components/step-up-dialog.tsx';
import { type Source, useLater } from './later.tsx';
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

let fetchLater!: () => Promise<Later>;
const source: Source<Later> = { load: () => fetchLater() };

export function setLazyLoader(load: () => Promise<Later>): void {
  fetchLater = load;
}

/** Called ahead of time, so that users do not wait for the components. */
export async function loadLazyComponents(): Promise<Later> {
  source.here ??= await source.load();
  return source.here;
}

/** Renders nothing until the component is loaded. */
export function lazyComponent<Name extends keyof PropsOf>(name: Name): ComponentType<PropsOf[Name]> {
  return function Lazy(props: PropsOf[Name]) {
    const { here } = useLater(source);
    return here ? createElement<PropsOf[Name]>(here[name], props) : null;
  };
}
