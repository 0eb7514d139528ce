import type { Code } from '../problems/registry.js';

/** A credential that is not good, and why: the caller's fault, not ours. */
export class BadCredential extends Error {
  override readonly name = 'BadCredential';
  constructor(readonly code: Code) {
    super(code);
  }
}
