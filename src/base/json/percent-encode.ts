/** Percent-encodes a text for a URL. Half of a surrogate pair, which has no encoding, is replaced by U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
