/** Four decimal octets without leading zeros. */
export function isIpv4(text: string): boolean {
  return octets(text, /^(?:0|[1-9]\d{0,2})$/);
}

/** Four decimal octets as a URI's host may have them: leading zeros are fine. */
export function isUriIpv4(text: string): boolean {
  return octets(text, /^\d{1,3}$/);
}

function octets(text: string, octet: RegExp): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every((part) => octet.test(part) && Number(part) <= 255);
}

/** Eight groups of hexadecimal digits, of which one run may be `::` and the last two may be an IPv4 address. */
export function parseIpv6(text: string, ipv4: (text: string) => boolean): boolean {
  if (text.length > 60) return false;
  const sides = text.split('::');
  if (sides.length > 2) return false;
  let count = 0;
  for (const [i, side] of sides.entries()) {
    if (side === '' && sides.length === 2) continue;
    const groups = side.split(':');
    for (const [j, group] of groups.entries()) {
      const last = i === sides.length - 1 && j === groups.length - 1;
      if (/^[0-9a-f]{1,4}$/i.test(group)) count += 1;
      else if (last && ipv4(group)) count += 2;
      else return false;
    }
  }
  return sides.length === 2 ? count <= 7 : count === 8;
}
