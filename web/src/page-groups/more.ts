/** Pages without navigation that need a decision by the user, and overlays that open on a user action. */
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
// Re-exported explicitly, or the bundler would split off a file for the code that each two groups share.
export * from './first.ts';
