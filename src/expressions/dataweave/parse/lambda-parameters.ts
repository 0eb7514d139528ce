const names: readonly [number, string][] = [
  [3, 'mapObject filterObject pluck'],
  [
    2,
    'map filter reduce orderBy groupBy distinctBy flatMap with everyEntry someEntry takeWhile firstWith mapString substringBy ' +
      'mapLeafValues filterTree filterObjectLeafs filterArrayLeafs nodeExists',
  ],
  [
    1,
    'maxBy minBy then some every countBy sumBy partition dropWhile indexWhere splitWhere duplicatesBy ' +
      'failIf countCharactersBy everyCharacter someCharacter',
  ],
  [0, 'onNull orElse orElseTry'],
];

/** How many parameters a library function's last argument, a lambda, has: in an infix call they are `$`, `$$` and `$$$`. */
export const lambdaParameters: ReadonlyMap<string, number> = new Map(
  names.flatMap(([count, functions]) => functions.split(' ').map((name): [string, number] => [name, count])),
);
