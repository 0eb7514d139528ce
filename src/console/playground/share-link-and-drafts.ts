import type { Documents } from './worker/worker-protocol.js';

/** The longest fragment that is read, and the longest text that it may unpack to. */
const longest = { fragment: 64_000, text: 512_000 };

const prefix = 'd1.';

/** Both documents as the fragment of a link, compressed. Undefined if they are too long for one. */
export async function fragmentOf({ journey, scenario }: Documents): Promise<string | undefined> {
  const text = JSON.stringify([journey, scenario]);
  if (text.length > longest.text) return undefined;
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const fragment = prefix + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return fragment.length > longest.fragment ? undefined : fragment;
}

/** The documents of a fragment, as texts. Undefined if it has none, is damaged or unpacks to more than the limit. */
export async function documentsOf(fragment: string): Promise<Documents | undefined> {
  if (!fragment.startsWith(prefix) || fragment.length > longest.fragment) return undefined;
  try {
    const binary = atob(fragment.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const value: unknown = JSON.parse(await unpacked(bytes));
    if (!Array.isArray(value) || value.length !== 2) return undefined;
    const [journey, scenario]: unknown[] = value;
    return typeof journey === 'string' && typeof scenario === 'string' ? { journey, scenario } : undefined;
  } catch {
    return undefined;
  }
}

/** Unpacks piece by piece, so that a small fragment cannot fill the memory. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > longest.text) throw new RangeError('too long');
  }
}

/** The drafts of a stored text; none if it is absent or damaged. */
export function draftsOf(text: string | null): readonly Documents[] {
  try {
    const drafts: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(drafts) && drafts.every(isDocuments) ? drafts : [];
  } catch {
    return [];
  }
}

function isDocuments(value: unknown): value is Documents {
  const { journey, scenario } = (value ?? {}) as Partial<Documents>;
  return typeof journey === 'string' && typeof scenario === 'string';
}
