import type { Code } from '../../base/problems/registry.js';

/** An invalid credential, with the reason. */
export class BadCredential extends Error {
  override readonly name = 'BadCredential';
  constructor(readonly code: Code) {
    super(code);
  }
}
