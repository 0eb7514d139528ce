export type { SchemaError } from './errors.js';
export { assertedTextFormats } from './formats.js';
export { ajvPatterns, compilePattern, type Pattern } from './pattern.js';
export { type ValidateOptions, validate } from './validate.js';
