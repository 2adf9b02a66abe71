import { t } from './language/words.ts';

/** With larger images, a request with several of them exceeds the limits of providers. */
const mostBytes = 8 * 1024 * 1024;

/** What models can see. A file dialog only suggests types, and a pasted or dropped file can be of any type. */
export const seenTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** What videos can start or end with. */
export const stillTypes = ['image/png', 'image/jpeg', 'image/webp'];

const namesOf = (types: string[]): string => types.map((type) => type.slice('image/'.length).toUpperCase()).join(', ');

function faultOf({ name, type, size }: File, types: string[]): string | null {
  if (!types.includes(type))
    return t('{name} cannot be attached. Use an image of one of these types: {types}.', {
      name,
      types: namesOf(types),
    });
  return size > mostBytes ? t('{name} is over 8 MB.', { name }) : null;
}

/** Resolves to a data URL. */
export function readImage(file: File, types: string[]): Promise<string> {
  const fault = faultOf(file, types);
  if (fault !== null) return Promise.reject(new Error(fault));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(t('{name} could not be read.', { name: file.name })));
    reader.readAsDataURL(file);
  });
}
