import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * The arguments that were typed after `--`. A command that cannot be done ends the process with 2 and the usage on
 * stderr: a run of nothing must not look like one that found nothing.
 */
export function readArguments<Given extends Options>(options: Given, usage: string) {
  try {
    return parseArgs({ options, strict: true }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), usage)
  }
}

/** A whole number from 1 on. */
export function wholeNumber(name: string, written: string, usage: string): number {
  const number = Number(written)
  if (/^\d{1,15}$/.test(written) && number >= 1) return number
  return refuse(`--${name} wants a whole number from 1 on, not "${written}".`, usage)
}

/** Says what is wrong, and what can be done, and ends the process. */
export function refuse(problem: string, usage: string): never {
  process.stderr.write(`${problem}\n\n${usage}`)
  process.exit(2)
}
