/** What a journey document can get wrong; the validator's findings. */
export const specCodes = {
  SPEC_INVALID: { status: 400, title: 'The journey document has errors' },
  DOC_PARSE: { status: 400, title: 'The document is not valid YAML or JSON' },
} as const;
