import { t } from './language/words.ts';

/** With larger images, a request with several of them exceeds the limits of providers. */
const mostBytes = 8 * 1024 * 1024;

export function readImage(file: File): Promise<string> {
  if (file.size > mostBytes) return Promise.reject(new Error(t('{name} is over 8 MB.', { name: file.name })));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(t('{name} could not be read.', { name: file.name })));
    reader.readAsDataURL(file);
  });
}
