import { readSources } from '../unit/house/sources.js';
import { bounds } from './bounds.js';
import { type FigureName, labels, measure } from './figures.js';

/** Prints the measures of the organisation of the sources as a table; with the name of a figure, the places behind it. */
const figures = measure(readSources());
const names = Object.keys(labels) as FigureName[];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((it) => !(names as string[]).includes(it));
if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(', ')}. Figures: ${names.join(', ')}`);
if (wanted.length > 0) for (const name of wanted as FigureName[]) console.log(figures[name].found.join('\n'));
else {
  console.log('| figure | | now | bound | aim |\n|---|---|---|---|---|');
  for (const name of names) {
    const { bound, aim } = bounds[name];
    console.log(`| ${name} | ${labels[name]} | ${figures[name].value} | ${bound ?? ''} | ${aim ?? ''} |`);
  }
}
