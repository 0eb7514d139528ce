import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

/**
 * The name of a run: its handler, a digest of what it is about, and the attempt. The same events give the same name, so that a pipeline whose
 * history was reset meets the child it had started before instead of starting a second one.
 */
export function runKey(handler: string, about: readonly string[], attempt: number): string {
  const digest = bytesToHex(sha256(utf8ToBytes(JSON.stringify(about)))).slice(0, 20);
  return `${handler}-${digest}-${attempt}`;
}
