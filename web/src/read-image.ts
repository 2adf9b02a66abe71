/** Past this a request with several pictures outgrows what providers take. */
const mostBytes = 8 * 1024 * 1024;

export function readImage(file: File): Promise<string> {
  if (file.size > mostBytes) return Promise.reject(new Error(`${file.name} is over 8 MB.`));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}
