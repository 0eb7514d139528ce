/** Limits on the number and length of tags and attributes; lengths in characters. */
export interface MetadataLimits {
  /** Tags in a definition. */
  readonly definitionTags: number;
  /** Tags of a run: those of its definition and those that bindings add. */
  readonly runTags: number;
  readonly tagLength: number;
  /** Attributes of a run. */
  readonly attributes: number;
  readonly keyLength: number;
  readonly valueLength: number;
}

/** The defaults of the language reference. */
export const defaultMetadataLimits: MetadataLimits = {
  definitionTags: 10,
  runTags: 16,
  tagLength: 40,
  attributes: 16,
  keyLength: 32,
  valueLength: 256,
};
