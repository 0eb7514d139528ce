/** Spellings found in the wild that mean something else by the letter; `load` turns each into its one proper form. */
export const compatRules = [
  'C1',
  'C2',
  'C3',
  'C4',
  'C6',
  'C10',
  'C11',
  'C12',
  'C13',
  'C14',
  'C15',
  'C16',
  'C17',
  'C18',
] as const;
export type CompatRule = (typeof compatRules)[number];
