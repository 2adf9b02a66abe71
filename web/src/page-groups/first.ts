/** What whoever is in sees first: the frame, with the page it opens with. */
export { HomePage } from '../pages/home/home-page.tsx';
export { Shell } from '../shell.tsx';
