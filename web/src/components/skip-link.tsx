import { t } from '../language/words.ts';

/** The first focusable element: skips the header and the navigation. */
export const SkipLink = () => (
  <a className="svc-skip" href="#main">
    {t('Skip to content')}
  </a>
);
