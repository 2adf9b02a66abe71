/** What whoever is in sees first: the frame with the page it opens with, and pages without navigation that ask something. */
export { AuthorizePage } from '../pages/authorize/authorize-page.tsx';
export { DevicePage } from '../pages/device/device-page.tsx';
export { HomePage } from '../pages/home/home-page.tsx';
export { JoinPage } from '../pages/join/join-page.tsx';
export { LinkAccountPage } from '../pages/link-account/link-account-page.tsx';
export { Shell } from '../shell.tsx';
