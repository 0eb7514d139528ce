import { collapse } from '../../../src/cli/author/eval/eval.js';

/** Whether two JSON texts are equal after removing duplicate keys: numbers to the last digit, in any notation. */
export function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return collapse(a, exact) === collapse(b, exact);
  } catch {
    return false;
  }
}

/** A number as digits and a power of ten: 1E+3, 1000 and 1000.0 are equal. */
function exact(text: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(power) - fraction.length + digits.length - kept.length}`;
}
