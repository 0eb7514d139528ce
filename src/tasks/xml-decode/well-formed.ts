/** What stands between these is text as it is, or nothing. */
const opaque = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** What is wrong with a text that the library takes for XML: it looks neither behind the root element nor at the names of entities. */
export function xmlFault(text: string): string | undefined {
  const plain = withoutOpaque(text).trimEnd();
  if (!plain.endsWith('>')) return 'There is text behind the root element.';
  for (const [reference] of plain.matchAll(/&[^;&<\s]{0,40};?/g))
    if (!isKnown(reference)) return `${reference} stands for nothing.`;
  return undefined;
}

function withoutOpaque(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const [open, close] = opaque.find(([mark]) => text.startsWith(mark, at)) ?? [];
    if (open === undefined || close === undefined) continue;
    const end = text.indexOf(close, at + open.length);
    if (end < 0) break;
    parts.push(text.slice(from, at));
    from = end + close.length;
    at = from - 1;
  }
  return [...parts, text.slice(from)].join('');
}

/** XML's own five names, and characters that it allows. */
function isKnown(reference: string): boolean {
  if (/^&(?:lt|gt|amp|quot|apos);$/.test(reference)) return true;
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(reference) ?? [];
  const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
