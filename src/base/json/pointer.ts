/** One part of a JSON pointer, escaped. */
export function escapePointer(part: string | number): string {
  const text = String(part);
  // Most names have neither, and this runs for every value of a document.
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}

/** The plain text of one part of a JSON pointer. */
export function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The parts of a JSON pointer, in plain text. */
export function pointerParts(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapePointer);
}
