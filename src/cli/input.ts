import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { safe } from '../app/terminal.js';
import { copy, isObject, type Json, type JsonObject } from '../json/value.js';

/** Another name of an option: it works, and the help speaks of one name only. */
class OtherName extends Option {
  constructor(
    flags: string,
    private readonly meant: string,
  ) {
    super(flags);
    this.hideHelp();
  }

  override attributeName(): string {
    return this.meant;
  }
}

/** `--input`, by the same name wherever JSON is given to a command; `read` makes a value of its text. */
export function withInput<T>(command: Command, what: string, read: (text: string) => T): Command {
  const take = (text: string) => read(inputText(text));
  command.addOption(new Option('--input <json>', `${what}: JSON, @file, or - for the standard input`).argParser(take));
  // What earlier versions called it here and there.
  for (const flags of ['--data <json>', '--payload <json>'])
    command.addOption(new OtherName(flags, 'input').argParser(take));
  return command;
}

/** The text itself, that of `@file`, or for `-` what is piped in. */
export function inputText(text: string): string {
  if (text !== '-' && !text.startsWith('@')) return text;
  const path = text === '-' ? '-' : text.slice(1);
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Reads an option that takes JSON. */
export function jsonValue(text: string): Json {
  try {
    return copy(JSON.parse(text) as Json);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${safe((error as Error).message)}`);
  }
}

/** Reads an option that takes a JSON object. */
export function jsonObject(text: string): JsonObject {
  const value = jsonValue(text);
  if (!isObject(value)) throw new InvalidArgumentError('It must be a JSON object, like {"text":"hello"}.');
  return value;
}
