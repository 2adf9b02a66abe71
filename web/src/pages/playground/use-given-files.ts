import { useEffect, useRef, useState } from 'react';

const inDialog = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('[role=dialog], [role=menu]') !== null;

/** A copied part of a document comes with a picture of itself: then its text is meant. */
const isDocument = ({ types }: DataTransfer): boolean => types.includes('text/plain') && types.includes('text/html');

/**
 * Files that the user pastes or drops anywhere on the page; returns whether files are being dragged over it. A file
 * dropped beside the target would make the browser leave the page and open it.
 */
export function useGivenFiles(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    const controller = new AbortController();
    const on = <K extends keyof DocumentEventMap>(name: K, act: (event: DocumentEventMap[K]) => void) =>
      document.addEventListener(name, act, { signal: controller.signal });
    on('paste', (event) => {
      const { clipboardData } = event;
      if (!clipboardData?.files.length || isDocument(clipboardData) || inDialog(event)) return;
      event.preventDefault();
      latest.current([...clipboardData.files]);
    });
    on('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(!inDialog(event));
    });
    // Without a related target, the pointer has left the window.
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false));
    on('drop', (event) => {
      setOver(false);
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      if (!inDialog(event)) latest.current([...event.dataTransfer.files]);
    });
    return () => controller.abort();
  }, []);
  return over;
}
