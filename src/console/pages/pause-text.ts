import { instantText } from '../ui/time-texts.js';

/** Why a pipeline is paused, without the commands of a terminal for which its page has buttons, and with times in the reader's zone. */
export function pauseText(text: string): string {
  return text
    .replace(/^(Paused since \S+Z): Paused by /, '$1 by ')
    .replace(/(Find out what happened|Fix the cause), then run: journeyman .*$/, '$1.')
    .replace(/ To continue, run: journeyman .*$/, '')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/, (at) => instantText(at));
}

/** A logged change of a schedule; the page names its author apart. */
export function changeText(what: string): string {
  return what.replace(/^(paused|resumed): (?:Paused|Resumed) by [^:]*/, '$1');
}
