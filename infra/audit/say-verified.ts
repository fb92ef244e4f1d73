import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import type { LogBreak, VerifyReport } from './verify-log.ts'

/** What a verification found, for people. */
export function sayVerified(report: VerifyReport, anchor: LedgerHead | null): string {
  const { position, unsealed, firstBreak, isAnchored } = report
  const walked = `${countOf(report.events, 'event')} in ${countOf(report.streams, 'stream')} up to position ${position}, ${countOf(report.seals, 'seal')}`
  const anchored =
    anchor !== null && isAnchored === true
      ? `\nThe exported head (seal ${anchor.seal}, position ${anchor.position}) is part of the chain.`
      : ''
  if (firstBreak === null) {
    return `The log is whole: ${walked}; ${countOf(unsealed, 'event')} not sealed yet.${anchored}`
  }
  return `The log is broken.\n${sayBreak(firstBreak)}\n  before it    ${walked}${anchored}`
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function sayBreak(broken: LogBreak): string {
  const { position, stream, revision, eventId, type, expected, found } = broken
  const event =
    stream === null
      ? []
      : [
          ['stream', stream],
          ['revision', revision],
          ['event', eventId],
          ['type', type],
        ]
  return [['position', position], ...event, ['expected', expected], ['found', found]]
    .map(([name, value]) => `  ${String(name).padEnd(12)} ${value}`)
    .join('\n')
}
