import { t } from './language/words.ts';

/**
 * The first page comes with the styles and words that it needs; other pages need all of them, and need them before they are
 * read: tables of choices, columns and titles are made of words. Where another page was opened first, early.ts has brought all.
 */
declare global {
  /** Addresses of the files that early.ts left out. */
  var svcRest: { styles?: string; words?: string } | undefined;
}

/** What is said of it in words; the browser has its own, of addresses and modules. */
const notFetched = (): Error =>
  new Error(t('A part of the app could not be fetched. Check the connection and try again.'));

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

/** Once; after a failure whoever asks next tries again. */
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
 * A group of pages, with all that they need. Where there is a network and the script does not come, a new version may have
 * replaced it: the browser's own words for that let the router load the app anew. Without one that would leave nothing of it.
 */
export async function bringGroup<Group>(load: () => Promise<Group>): Promise<Group> {
  await Promise.all([bringStyles(), bringWords()]);
  try {
    return await load();
  } catch (error) {
    throw navigator.onLine ? error : notFetched();
  }
}

/** Before what the service says is told. Without a network it is told in English. */
export const allWords = (): Promise<void> => bringWords().catch(() => {});

/** Some browsers have no word for it. */
export const whenIdle: (act: () => void) => void = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 1_000));
