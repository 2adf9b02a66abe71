/** Pages without navigation that ask something, and what comes over a page once somebody does something there. */
export { AddedProvider } from '../components/added-provider.tsx';
export { NavigationDrawer } from '../components/navigation-drawer.tsx';
export { SessionEndedDialog } from '../components/session-ended-dialog.tsx';
export { StepUpDialog } from '../components/step-up-dialog.tsx';
export { Toasts } from '../components/toasts.tsx';
export { AuthorizePage } from '../pages/authorize/authorize-page.tsx';
export { DevicePage } from '../pages/device/device-page.tsx';
export { JoinPage } from '../pages/join/join-page.tsx';
export { LinkAccountPage } from '../pages/link-account/link-account-page.tsx';
export { Palette } from '../palette/palette.tsx';
// Named with all that comes with it, or the bundler makes a file of what each two groups share.
export * from './first.ts';
