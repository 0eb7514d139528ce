import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { safe } from '../app/safe-terminal-text.js';
import { copy, isObject, type Json, type JsonObject } from '../base/json/value.js';

/** Adds `--input`, the option for JSON in every command; `read` parses its text. */
export function withInput<T>(command: Command, what: string, read: (text: string) => T): Command {
  const take = (text: string) => read(inputText(text));
  command.addOption(new Option('--input <json>', `${what}: JSON, @file, or - for the standard input`).argParser(take));
  return command;
}

/** Reads the text of `--input`: literal, from `@file`, or from the standard input for `-`. */
export function inputText(text: string): string {
  if (text !== '-' && !text.startsWith('@')) return text;
  const path = text === '-' ? '-' : text.slice(1);
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Parses the JSON value of an option. */
export function jsonValue(text: string): Json {
  try {
    return copy(JSON.parse(text) as Json);
  } catch (error) {
    throw new InvalidArgumentError(`Not valid JSON: ${safe((error as Error).message)}`);
  }
}

/** Parses an option whose value is a JSON object. */
export function jsonObject(text: string): JsonObject {
  const value = jsonValue(text);
  if (!isObject(value)) throw new InvalidArgumentError('It must be a JSON object, like {"text":"hello"}.');
  return value;
}
