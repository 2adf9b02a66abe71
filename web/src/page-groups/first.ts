/** What a logged-in user sees first: the shell and the home page. */
export { HomePage } from '../pages/home/home-page.tsx';
export { Shell } from '../shell.tsx';
