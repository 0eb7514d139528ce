/** Short and long names of standard time in a zone and of daylight-saving time, if any. */
type Names = readonly [hours: number, standard: string, long: string, summer?: string, longSummer?: string];

const eastern: Names = [-5, 'EST', 'Eastern Standard Time', 'EDT', 'Eastern Daylight Time'];
const central: Names = [-6, 'CST', 'Central Standard Time', 'CDT', 'Central Daylight Time'];
const mountain: Names = [-7, 'MST', 'Mountain Standard Time', 'MDT', 'Mountain Daylight Time'];
const pacific: Names = [-8, 'PST', 'Pacific Standard Time', 'PDT', 'Pacific Daylight Time'];
const centralEurope: Names = [1, 'CET', 'Central European Standard Time', 'CEST', 'Central European Summer Time'];
const easternEurope: Names = [2, 'EET', 'Eastern European Standard Time', 'EEST', 'Eastern European Summer Time'];
const easternAustralia: Names = [
  10,
  'AEST',
  'Australian Eastern Standard Time',
  'AEDT',
  'Australian Eastern Daylight Time',
];
const greenwich: Names = [0, 'GMT', 'Greenwich Mean Time'];
const universal: Names = [0, 'UTC', 'Coordinated Universal Time'];
const india: Names = [5.5, 'IST', 'India Standard Time'];

const groups: readonly [zones: string, names: Names][] = [
  [
    'America/New_York America/Toronto America/Detroit US/Eastern Canada/Eastern America/Montreal America/Indiana/Indianapolis America/Kentucky/Louisville America/Panama America/Jamaica EST5EDT EST',
    eastern,
  ],
  ['America/Chicago America/Mexico_City America/Winnipeg America/Regina US/Central', central],
  ['America/Denver America/Phoenix America/Edmonton America/Boise US/Mountain', mountain],
  ['America/Los_Angeles America/Vancouver US/Pacific Canada/Pacific', pacific],
  ['America/Anchorage US/Alaska', [-9, 'AKST', 'Alaska Standard Time', 'AKDT', 'Alaska Daylight Time']],
  ['Pacific/Honolulu US/Hawaii', [-10, 'HST', 'Hawaii-Aleutian Standard Time']],
  ['America/Halifax America/Puerto_Rico', [-4, 'AST', 'Atlantic Standard Time', 'ADT', 'Atlantic Daylight Time']],
  ['Europe/London', [0, 'GMT', 'Greenwich Mean Time', 'BST', 'British Summer Time']],
  ['Europe/Dublin', [0, 'GMT', 'Greenwich Mean Time', 'IST', 'Irish Standard Time']],
  ['Europe/Lisbon', [0, 'WET', 'Western European Standard Time', 'WEST', 'Western European Summer Time']],
  [
    'Europe/Paris Europe/Berlin Europe/Madrid Europe/Rome Europe/Amsterdam Europe/Brussels Europe/Vienna Europe/Zurich Europe/Stockholm Europe/Oslo Europe/Copenhagen Europe/Prague Europe/Warsaw Europe/Budapest Europe/Zagreb Europe/Belgrade Europe/Bratislava Europe/Ljubljana Europe/Luxembourg Europe/Monaco Europe/Malta Africa/Algiers Africa/Tunis CET',
    centralEurope,
  ],
  [
    'Europe/Athens Europe/Helsinki Europe/Bucharest Europe/Kiev Europe/Kyiv Europe/Sofia Europe/Riga Europe/Vilnius Europe/Tallinn Asia/Beirut Africa/Cairo EET',
    easternEurope,
  ],
  ['Europe/Moscow Europe/Minsk', [3, 'MSK', 'Moscow Standard Time']],
  ['Asia/Tokyo', [9, 'JST', 'Japan Standard Time']],
  ['Asia/Seoul', [9, 'KST', 'Korean Standard Time']],
  ['Asia/Kolkata Asia/Calcutta Asia/Colombo', india],
  ['Asia/Shanghai Asia/Macau', [8, 'CST', 'China Standard Time']],
  ['Asia/Hong_Kong', [8, 'HKT', 'Hong Kong Standard Time']],
  ['Asia/Jerusalem', [2, 'IST', 'Israel Standard Time', 'IDT', 'Israel Daylight Time']],
  ['Asia/Karachi', [5, 'PKT', 'Pakistan Standard Time']],
  ['Australia/Sydney Australia/Melbourne Australia/Brisbane Australia/Hobart', easternAustralia],
  ['Pacific/Auckland', [12, 'NZST', 'New Zealand Standard Time', 'NZDT', 'New Zealand Daylight Time']],
  ['Africa/Johannesburg', [2, 'SAST', 'South Africa Standard Time']],
  ['Africa/Nairobi Africa/Addis_Ababa', [3, 'EAT', 'East Africa Time']],
  ['America/Sao_Paulo', [-3, 'GMT-03:00', 'Brasilia Standard Time']],
  ['America/Argentina/Buenos_Aires', [-3, 'GMT-03:00', 'Argentina Standard Time']],
  ['America/Bogota', [-5, 'GMT-05:00', 'Colombia Standard Time']],
  ['America/Lima', [-5, 'GMT-05:00', 'Peru Standard Time']],
  ['America/Santiago', [-4, 'GMT-04:00', 'Chile Standard Time', 'GMT-03:00', 'Chile Summer Time']],
  ['America/St_Johns', [-3.5, 'NST', 'Newfoundland Standard Time', 'NDT', 'Newfoundland Daylight Time']],
  ['Asia/Dubai', [4, 'GMT+04:00', 'Gulf Standard Time']],
  ['Asia/Singapore', [8, 'GMT+08:00', 'Singapore Standard Time']],
  ['Asia/Bangkok Asia/Ho_Chi_Minh', [7, 'GMT+07:00', 'Indochina Time']],
  ['Asia/Jakarta', [7, 'WIB', 'Western Indonesia Time']],
  ['Asia/Manila', [8, 'PST', 'Philippine Standard Time']],
  ['Asia/Kuala_Lumpur', [8, 'GMT+08:00', 'Malaysia Time']],
  ['Asia/Taipei', [8, 'CST', 'Taipei Standard Time']],
  ['Asia/Riyadh', [3, 'GMT+03:00', 'Arabian Standard Time']],
  ['Asia/Dhaka', [6, 'GMT+06:00', 'Bangladesh Standard Time']],
  ['Europe/Istanbul', [3, 'GMT+03:00', 'Istanbul Standard Time']],
  ['Africa/Lagos', [1, 'WAT', 'West Africa Standard Time']],
  ['Australia/Perth', [8, 'AWST', 'Australian Western Standard Time']],
  [
    'Australia/Adelaide Australia/Darwin',
    [9.5, 'ACST', 'Australian Central Standard Time', 'ACDT', 'Australian Central Daylight Time'],
  ],
  ['UTC Etc/UTC', universal],
  ['GMT Etc/GMT Etc/GMT0 Etc/GMT+0 Etc/GMT-0 Etc/Greenwich Atlantic/Reykjavik Africa/Accra', greenwich],
];

const byZone: ReadonlyMap<string, Names> = new Map(
  groups.flatMap(([zones, names]) => zones.split(' ').map((zone): [string, Names] => [zone, names])),
);

/** Name of a zone's time at `offset` seconds ahead of UTC; null if unknown. */
export function zoneName(zone: string, offset: number, long: boolean): string | null {
  const names = byZone.get(zone);
  if (!names) return null;
  const [hours, standard, longStandard, summer = standard, longSummer = longStandard] = names;
  if (offset === hours * 3600) return long ? longStandard : standard;
  return long ? longSummer : summer;
}

const abbreviations: ReadonlyMap<string, string> = new Map([
  ['EST', 'America/New_York'],
  ['EDT', 'America/New_York'],
  ['CST', 'America/Chicago'],
  ['CDT', 'America/Chicago'],
  ['MST', 'America/Denver'],
  ['MDT', 'America/Denver'],
  ['PST', 'America/Los_Angeles'],
  ['PDT', 'America/Los_Angeles'],
  ['CET', 'Europe/Paris'],
  ['CEST', 'Europe/Paris'],
  ['BST', 'Europe/London'],
]);

/** Zone of an abbreviation in a date, or the abbreviation itself. */
export function zoneOfAbbreviation(text: string): string {
  return abbreviations.get(text) ?? text;
}
