/** A text as a part of a URL. Half of a surrogate pair, which has no encoding, is replaced as it is everywhere else on the way out. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
