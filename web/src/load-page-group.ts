import { t } from './language/words.ts';

/**
 * The first page loads only the styles and translations it needs. Other pages need all of them before their modules are
 * evaluated, because options, columns and titles are translated at load time. If another page was opened first,
 * before-paint.ts has already loaded everything.
 */
declare global {
  /** URLs of the files that before-paint.ts did not load. */
  var svcRest: { styles?: string; words?: string } | undefined;
}

/** A readable error; the browser's own message is about URLs and modules. */
export const notFetched = (): Error =>
  new Error(t('Part of the app could not be loaded. Check the connection and try again.'));

function arrived(element: HTMLLinkElement | HTMLScriptElement): Promise<void> {
  return new Promise((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => {
      element.remove();
      reject(notFetched());
    };
    document.head.append(element);
  });
}

/** Runs at most once; after a failure, the next call retries. */
function once(bring: () => Promise<void> | undefined): () => Promise<void> {
  let coming: Promise<void> | undefined;
  return () => {
    coming ??= Promise.resolve(bring()).catch((error) => {
      coming = undefined;
      throw error;
    });
    return coming;
  };
}

const bringStyles = once(() => {
  const href = globalThis.svcRest?.styles;
  return href ? arrived(Object.assign(document.createElement('link'), { rel: 'stylesheet', href })) : undefined;
});

const bringWords = once(() => {
  const src = globalThis.svcRest?.words;
  return src ? arrived(Object.assign(document.createElement('script'), { src })) : undefined;
});

/**
 * Loads a group of pages with everything it needs. If a script fails to load while online, a new version may have
 * replaced it: rethrow the browser's error, so that the router reloads the app. Offline, a reload would only lose the
 * app.
 */
export async function loadPageGroup<Group>(load: () => Promise<Group>): Promise<Group> {
  await Promise.all([bringStyles(), bringWords()]);
  try {
    return await load();
  } catch (error) {
    throw navigator.onLine ? error : notFetched();
  }
}

/** Loads all translations before a message of the service is shown. If that fails, the message is shown in English. */
export const loadAllTranslations = (): Promise<void> => bringWords().catch(() => {});

/** Some browsers lack `requestIdleCallback`. */
export const whenIdle: (act: () => void) => void = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 1_000));
