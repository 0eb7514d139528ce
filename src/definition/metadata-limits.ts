/** How many tags and attributes there may be, and how long; lengths in characters. */
export interface MetadataLimits {
  /** Tags in a definition. */
  readonly definitionTags: number;
  /** Tags of an instance: those of its definition, and what bindings add. */
  readonly instanceTags: number;
  readonly tagLength: number;
  /** Attributes of an instance. */
  readonly attributes: number;
  readonly keyLength: number;
  readonly valueLength: number;
}

/** The built-in defaults of the language's reference. */
export const defaultMetadataLimits: MetadataLimits = {
  definitionTags: 10,
  instanceTags: 16,
  tagLength: 40,
  attributes: 16,
  keyLength: 32,
  valueLength: 256,
};
