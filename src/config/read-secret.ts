import { readFileSync } from 'node:fs';
import { refuse } from '../base/problems/problem.js';

/** The source of a secret. Literal values are not allowed in the configuration. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** A secret value that neither logs nor JSON print by accident. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return '[secret]';
  }
  toJSON(): string {
    return '[secret]';
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** Reads `source`; messages call it `name`. One trailing line break of a file is dropped. */
export function readSecret(name: string, source: SecretSource, env: NodeJS.ProcessEnv): Secret {
  if ('env' in source) {
    const value = env[source.env];
    if (value === undefined || value === '') {
      refuse('SECRET_UNAVAILABLE', `${name}: the environment variable ${source.env} is not set`, {
        hint: `Set ${source.env} for this process, or point the secret at a file.`,
      });
    }
    return new Secret(value);
  }
  let value: string;
  try {
    value = readFileSync(source.file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    return refuse('SECRET_UNAVAILABLE', `${name}: ${source.file} cannot be read (${(error as Error).message})`, {
      hint: 'Check the path and that this user may read it.',
    });
  }
  // An empty secret would sign nothing.
  if (value === '') refuse('SECRET_UNAVAILABLE', `${name}: ${source.file} is empty`);
  return new Secret(value);
}

/** A reader of configured secrets; each call reads anew, so that a rotated file or variable is seen. */
export function secretReader(sources: Readonly<Record<string, SecretSource>>, env: NodeJS.ProcessEnv = process.env) {
  return (ref: string): Secret => {
    const source = Object.hasOwn(sources, ref) ? sources[ref] : undefined;
    if (source === undefined) {
      refuse('SECRET_UNKNOWN', `The secret ${ref} is not configured`, {
        hint: `Add it under secrets in the configuration: "${ref}": { env: NAME } or { file: path }.`,
      });
    }
    return readSecret(ref, source, env);
  };
}
