/** A library function for the generator. T, U and K are type variables; `fn:` arguments are lambdas. */
export interface Signature {
  name: string;
  args: string[];
  result: string;
  /** Can also be written infix. */
  infix: boolean;
  weight: number;
}

const core = `
abs(num) num
avg([num]) num
ceil(num) num
floor(num) num
round(num) num
sqrt(num) num
sum([num]) num
max([num]) num
min([num]) num
max([str]) str
mod(num, small) num infix
pow(small, small) num infix
to(small, small) [num] infix
isEven(int) bool
isOdd(int) bool
isInteger(num) bool
isDecimal(num) bool
isEmpty(T) bool
isEmpty([T]) bool
isBlank(str) bool
isLeapYear(date) bool
daysBetween(date, date) num
contains([T], T) bool infix 2
contains(str, str) bool infix
contains(str, regex) bool infix
startsWith(str, str) bool infix
endsWith(str, str) bool infix
matches(str, regex) bool infix
match(str, regex) [str] infix
scan(str, regex) [any] infix
find(str, str) [num] infix
find([T], T) [num] infix
find(str, regex) [any] infix
indexOf(str, str) num infix
indexOf([T], T) num infix
lastIndexOf(str, str) num infix
joinBy([str], str) str infix 2
joinBy([num], str) str infix
splitBy(str, sep) [str] infix 2
splitBy(str, regex) [str] infix
flatten([T]) [T]
lower(str) str
upper(str) str
trim(str) str
sizeOf([T]) num 2
sizeOf(str) num
sizeOf(obj) num
typeOf(T) type
keysOf(obj) [str]
namesOf(obj) [str]
valuesOf(obj) [any]
entriesOf(obj) [obj]
zip([T], [U]) [any] infix
unzip([any]) [any]
reduce([num], fn:(num,num)num) num infix 3
reduce([str], fn:(str,str)str) str infix
map([T], fn:(T,int)U) [U] infix 6
filter([T], fn:(T,int)bool) [T] infix 5
filter(str, fn:(str,int)bool) str infix
flatMap([T], fn:(T,int)[U]) [U] infix 2
orderBy([T], fn:(T,int)num) [T] infix 3
orderBy([T], fn:(T,int)str) [T] infix
orderBy(obj, fn:(any,str)num) obj infix
groupBy([T], fn:(T,int)str) obj infix 2
groupBy([T], fn:(T,int)num) obj infix 2
groupBy([T], fn:(T,int)bool) obj infix
groupBy(obj, fn:(any,str)str) obj infix
groupBy(str, fn:(str,int)str) obj infix
distinctBy([T], fn:(T,int)U) [T] infix 2
distinctBy(obj, fn:(any,str)U) obj infix
maxBy([T], fn:(T)num) T infix
minBy([T], fn:(T)num) T infix
maxBy([T], fn:(T)str) T infix
filterObject(obj, fn:(any,str,int)bool) obj infix 2
mapObject(obj, fn:(any,str,int)obj) obj infix 2
pluck(obj, fn:(any,str,int)U) [U] infix 2
onNull(T, fn0:T) T infix
then(T, fn:(T)U) U infix
replaceWith(str, regex, fn:([str],int)str) str
replaceWith(str, str, str) str
`;

const modules: Record<string, string> = {
  'dw::core::Strings': `
appendIfMissing(str, str) str
prependIfMissing(str, str) str
camelize(str) str
capitalize(str) str
dasherize(str) str
underscore(str) str
ordinalize(int) str
pluralize(str) str
singularize(str) str
charCode(str) num
charCodeAt(str, small) num
fromCharCode(code) str
countCharactersBy(str, fn:(str)bool) num infix
countMatches(str, str) num infix
countMatches(str, regex) num infix
everyCharacter(str, fn:(str)bool) bool infix
someCharacter(str, fn:(str)bool) bool infix
first(str, small) str
last(str, small) str
hammingDistance(str, str) num
levenshteinDistance(str, str) num
isAlpha(str) bool
isAlphanumeric(str) bool
isLowerCase(str) bool
isUpperCase(str) bool
isNumeric(str) bool
isWhitespace(str) bool
leftPad(str, small) str
leftPad(str, small, char) str
rightPad(str, small) str
rightPad(str, small, char) str
lines(str) [str]
mapString(str, fn:(str,int)str) str infix
remove(str, str) str infix
repeat(str, small) str infix
replaceAll(str, str, str) str
reverse(str) str
substring(str, small, small) str
substringAfter(str, str) str
substringAfterLast(str, str) str
substringBefore(str, str) str
substringBeforeLast(str, str) str
substringBy(str, fn:(str,int)bool) [str] infix
substringEvery(str, smallpos) [str] infix
unwrap(str, char) str
wrapIfMissing(str, char) str
wrapWith(str, str) str
withMaxSize(str, small) str infix
words(str) [str]
collapse(str) [str]
`,
  'dw::core::Arrays': `
countBy([T], fn:(T)bool) num infix
sumBy([T], fn:(T)num) num infix
every([T], fn:(T)bool) bool infix
some([T], fn:(T)bool) bool infix
divideBy([T], smallpos) [any] infix
drop([T], small) [T] infix
dropWhile([T], fn:(T)bool) [T] infix
take([T], small) [T] infix
takeWhile([T], fn:(T)bool) [T] infix
firstWith([T], fn:(T,int)bool) T infix
indexOf([T], T) num
indexWhere([T], fn:(T)bool) num infix
partition([T], fn:(T)bool) obj infix
slice([T], small, small) [T]
splitAt([T], small) obj infix
splitWhere([T], fn:(T)bool) obj infix
join([obj], [obj], fn:(obj)num, fn:(obj)num) [obj]
leftJoin([obj], [obj], fn:(obj)num, fn:(obj)num) [obj]
outerJoin([obj], [obj], fn:(obj)str, fn:(obj)str) [obj]
`,
  'dw::core::Objects': `
divideBy(obj, smallpos) [obj] infix
entrySet(obj) [obj]
everyEntry(obj, fn:(any,str)bool) bool infix
someEntry(obj, fn:(any,str)bool) bool infix
keySet(obj) [str]
nameSet(obj) [str]
valueSet(obj) [any]
mergeWith(obj, obj) obj infix
takeWhile(obj, fn:(any,str)bool) obj infix
`,
  'dw::core::Numbers': `
fromBinary(bits) num
fromHex(hex) num
fromRadixNumber(bits, radix) num
toBinary(int) str
toHex(int) str
toRadixNumber(int, radix) str
`,
  'dw::core::Dates': `
atBeginningOfDay(datetime) datetime
atBeginningOfDay(localdatetime) localdatetime
atBeginningOfHour(datetime) datetime
atBeginningOfHour(localtime) localtime
atBeginningOfMonth(date) date
atBeginningOfWeek(date) date
atBeginningOfYear(datetime) datetime
`,
  'dw::core::Periods': `
between(date, date) period
days(int) period
months(int) period
years(int) period
hours(int) period
minutes(int) period
seconds(int) period
`,
  'dw::util::Math': `
sin(small) num
cos(small) num
tan(small) num
asin(unit) num
acos(unit) num
atan(small) num
log10(smallpos) num
logn(smallpos) num
toDegrees(small) num
toRadians(small) num
`,
  'dw::util::Coercions': `
toBoolean(str) bool
toNumber(str) num
toNumber(datetime) num
toNumberOrNull(str) num
toString(num) str
toString(bool) str
toDate(str) date
toDateOrNull(str) date
toDateTime(str) datetime
toLocalDateTime(str) localdatetime
toNumber(str, conversion) num
toNumber(num, conversion) num
toNumber(datetime, conversion) num
toNumber(period, conversion) num
toString(num, conversion) str
toString(date, conversion) str
toString(datetime, conversion) str
toString(period, conversion) str
toDate(str, conversion) date
toDate(date, conversion) date
toDateTime(str, conversion) datetime
toDateTime(num, conversion) datetime
toDateTime(datetime, conversion) datetime
toLocalDateTime(localdatetime, conversion) localdatetime
toLocalTime(localtime, conversion) localtime
toPeriod(str) period
toArray(str) [str]
`,
};

const line = /^(\w+)\((.*)\) (\S+)( infix)?(?: (\d+))?$/;

function parse(text: string, prefix: string, weight: number): Signature[] {
  return text
    .trim()
    .split('\n')
    .map((row) => {
      const [, name, args, result, infix, own] = line.exec(row) ?? [];
      if (!name || !result) throw new Error(`not a signature: ${row}`);
      return {
        name: `${prefix}${name}`,
        args: splitArguments(args ?? ''),
        result,
        infix: infix !== undefined,
        weight: weight * Number(own ?? 1),
      };
    });
}

function splitArguments(text: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let current = '';
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) {
      out.push(current.trim());
      current = '';
    } else current += char;
  }
  if (current.trim()) out.push(current.trim());
  return out;
}

const binaries = `
toHex(binary) str
fromHex(hexes) binary
toBase64(binary) str
fromBase64(str) binary
`;

/** Signatures by module, with names as declared by an import. */
export const moduleSignatures: ReadonlyMap<string, readonly Signature[]> = new Map(
  Object.entries({ ...modules, 'dw::core::Binaries': binaries }).map(([module, text]) => [module, parse(text, '', 1)]),
);

/** The library functions that the fuzzer uses. */
export const signatures: readonly Signature[] = [
  ...parse(core, '', 3),
  ...Object.entries(modules).flatMap(([module, text]) => parse(text, `${module}::`, 1)),
];
