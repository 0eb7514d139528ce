const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A calendar date of RFC 3339, such as 2028-02-29. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && leap ? 29 : (days[month - 1] ?? 0));
}

/** A time of day with an optional or required offset; a leap second only where UTC can have one. */
export function isTime(text: string, offsetRequired: boolean): boolean {
  const match = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:z|([+-])(\d\d)(?::?(\d\d))?)?$/i.exec(text);
  if (!match) return false;
  const [, hour, minute, second, sign, zoneHour, zoneMinute] = match;
  const hasZone = sign !== undefined || /z$/i.test(text);
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const [zh, zm] = [Number(zoneHour ?? 0), Number(zoneMinute ?? 0)];
  if (zh > 23 || zm > 59 || (offsetRequired && !hasZone)) return false;
  if (h <= 23 && m <= 59 && s < 60) return true;
  const direction = sign === '-' ? -1 : 1;
  const utcMinute = m - zm * direction;
  const utcHour = h - zh * direction - (utcMinute < 0 ? 1 : 0);
  return (utcHour === 23 || utcHour === -1) && (utcMinute === 59 || utcMinute === -1) && s < 61;
}

/** A date and a time, separated by T or one white space. */
export function isDateTime(text: string, offsetRequired: boolean): boolean {
  const parts = text.split(/t|\s/i);
  return parts.length === 2 && isDate(parts[0]!) && isTime(parts[1]!, offsetRequired);
}

/** A duration as RFC 3339 has it: whole units, weeks only on their own. */
export function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true;
  return (
    text !== 'P' && !text.endsWith('T') && /^P(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/.test(text)
  );
}
