import { coercions } from './coercions.js';
import { constructors } from './constructors.js';
import { control } from './control.js';
import { operators } from './operators.js';
import type { Production } from './production.js';
import { selectors } from './selectors.js';

/** Every construct except plain calls. */
export const productions: readonly Production[] = [
  ...operators,
  ...selectors,
  ...control,
  ...coercions,
  ...constructors,
];
