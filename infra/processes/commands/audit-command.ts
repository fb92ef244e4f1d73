import { type Moment, momentOf } from '@tollgate/command-api/audit/trial-balance.ts'
import { parseArgs, type ParseArgsConfig } from 'node:util'

/** The command that was asked for on the command line. */
export type AuditCommand =
  | { readonly name: 'help' }
  | { readonly name: 'verify'; readonly headFile: string | null; readonly isJson: boolean }
  | { readonly name: 'reconcile'; readonly isJson: boolean }
  | {
      readonly name: 'trial-balance'
      readonly moment: Moment
      readonly detail: 'by-kind' | 'each'
      readonly isJson: boolean
    }
  | { readonly name: 'head' }
  | { readonly name: 'seal' }

export const USAGE = `Usage:
  npm run audit -- verify [--head FILE] [--json]   walk the whole log: hashes, revisions, positions, seals; with --head,
                                                   prove that a head exported earlier is still part of it
  npm run audit -- reconcile [--json]              fold the ledger and compare every figure of the read models with it
  npm run audit -- trial-balance [--at TIME | --position N] [--each] [--json]
                                                   debits, credits and balance of the ledger's accounts now, of the
                                                   events before a time (2026-02-03T12:00:00Z, unix milliseconds), or
                                                   of those up to and with a position; --each user by user
  npm run audit -- head                            print the newest seal as JSON, to be kept elsewhere
  npm run audit -- seal                            seal what was written since the last seal, now

Exit code: 0 all is as it should be, 1 something is not, 2 it could not be found out.
`

/** The typed command cannot be done; the message says what can. */
export class WrongUsage extends Error {
  readonly code = 'WRONG_USAGE'
  readonly retryable = false
  constructor(problem: string) {
    super(`${problem}\n\n${USAGE}`)
    this.name = 'WrongUsage'
  }
}

/** Reads the words after `npm run audit --`. Fails with WrongUsage. */
export function parseAuditCommand([name, ...words]: readonly string[]): AuditCommand {
  switch (name) {
    case undefined:
    case 'help':
    case '--help':
      return { name: 'help' }
    case 'verify': {
      const { head, json } = flagsOf(words, { head: { type: 'string' }, json: { type: 'boolean' } })
      return { name, headFile: head ?? null, isJson: json === true }
    }
    case 'reconcile':
      return { name, isJson: flagsOf(words, { json: { type: 'boolean' } }).json === true }
    case 'trial-balance': {
      const { at, position, each, json } = flagsOf(words, {
        at: { type: 'string' },
        position: { type: 'string' },
        each: { type: 'boolean' },
        json: { type: 'boolean' },
      })
      const moment = momentAsked(at, position)
      return { name, moment, detail: each === true ? 'each' : 'by-kind', isJson: json === true }
    }
    case 'head':
    case 'seal':
      flagsOf(words, {})
      return { name }
    default:
      throw new WrongUsage(`There is no command "${name}".`)
  }
}

/** A number is milliseconds or a position by its option alone, as in the routes. */
function momentAsked(at: string | undefined, position: string | undefined): Moment {
  if (at !== undefined && position !== undefined)
    throw new WrongUsage('Only one of --at and --position can be given.')
  if (position !== undefined) {
    if (!/^\d{1,15}$/.test(position)) throw new WrongUsage(`"${position}" is no position.`)
    return { type: 'position', position: Number(position) }
  }
  const moment = momentOf(at ?? null)
  if (moment === null)
    throw new WrongUsage(`"${at}" is no time with its zone, no date and no number of milliseconds.`)
  return moment
}

function flagsOf<Options extends NonNullable<ParseArgsConfig['options']>>(
  words: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...words], options, strict: true }).values
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error))
  }
}
