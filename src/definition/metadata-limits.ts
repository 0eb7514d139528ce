/** The limits on tags and attributes: the built-in defaults of the language's reference. */
export const metadataLimits = {
  /** Of a definition. */
  definitionTags: 10,
  /** Of an instance. */
  tags: 16,
  tagLength: 40,
  attributes: 16,
  keyLength: 32,
  valueLength: 256,
} as const;
