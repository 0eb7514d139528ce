/** Library functions whose last argument is a function, so that `$` in an infix call is that function's parameter. */
export const takesLambda: ReadonlySet<string> = new Set(
  (
    'map filter reduce orderBy groupBy distinctBy pluck mapObject filterObject flatMap maxBy minBy then onNull with ' +
    'some every countBy sumBy partition takeWhile dropWhile firstWith indexWhere splitWhere duplicatesBy ' +
    'everyEntry someEntry failIf ' +
    'countCharactersBy everyCharacter someCharacter mapString substringBy ' +
    'mapLeafValues filterTree filterObjectLeafs filterArrayLeafs nodeExists orElse orElseTry'
  ).split(' '),
);
