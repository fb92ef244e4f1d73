import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import type { LogBreak, VerifyReport } from './verify-log.ts'

/** The findings of a verification, for people. `now` in unix milliseconds. */
export function formatVerifyReport(
  report: VerifyReport,
  anchor: LedgerHead | null,
  now: number,
): string {
  const { position, firstBreak, isAnchored } = report
  const walked = `${countOf(report.events, 'event')} in ${countOf(report.streams, 'stream')} up to position ${position}, ${countOf(report.seals, 'seal')}`
  const anchored =
    anchor !== null && isAnchored === true
      ? `\nThe exported head (seal ${anchor.seal}, position ${anchor.position}) is part of the chain.`
      : ''
  if (firstBreak === null) {
    const { length } = report.explainedSeals
    const whole =
      length === 0
        ? 'The log is whole'
        : `The log is whole, with ${countOf(length, 'seal')} over events that were set aside later`
    return `${whole}: ${walked}.\n${formatSealed(report, now)}${anchored}${formatBookedTwice(report)}${formatCut(report)}${formatSetAside(report)}${formatExplained(report)}${formatForeign(report)}`
  }
  return `The log is broken.\n${formatBreak(firstBreak)}\n  before it    ${walked}${anchored}${formatBookedTwice(report)}${formatCut(report)}${formatSetAside(report)}${formatExplained(report)}${formatForeign(report)}`
}

function formatCut({ cutStreams }: VerifyReport): string {
  if (cutStreams.length === 0) return ''
  const lines = cutStreams.map(
    ({ stream, how, position }) => `\n  ${stream}: ${how} (position ${position})`,
  )
  return `\n${countOf(cutStreams.length, 'stream')} cut by another client of the event store; take the limits out of the metadata before a scavenge removes events for good:${lines.join('')}`
}

function formatSetAside({ setAside: { count, first } }: VerifyReport): string {
  if (count === 0) return ''
  const lines = first.map(
    ({ stream, revision, position, reason }) =>
      `\n  ${stream}@${revision} (position ${position}): ${reason}`,
  )
  const more = count > first.length ? [`\n  ... and ${count - first.length} more`] : []
  return `\n${countOf(count, 'event')} of other clients of the event store, set aside by an operator:${[...lines, ...more].join('')}`
}

function formatExplained({ explainedSeals }: VerifyReport): string {
  if (explainedSeals.length === 0) return ''
  const lines = explainedSeals.map(
    ({ seal, covers: [first, ...more] }) =>
      `\n  seal ${seal}: ${first?.stream}@${first?.revision}${more.length === 0 ? '' : ` and ${more.length} more`}`,
  )
  return `\nSealed by an earlier version of Tollgate, which took them for its own, and set aside later; these seals are as they were made:${lines.join('')}`
}

function formatForeign({ foreignStreams }: VerifyReport): string {
  if (foreignStreams.length === 0) return ''
  return `\nPassed over, as they are not Tollgate's: ${foreignStreams.join(', ')}. Give Tollgate an event store of its own.`
}

function formatBookedTwice({ bookedTwice: { count, first } }: VerifyReport): string {
  if (count === 0) return ''
  const lines = first.map(
    ({ stream, revision, type, causationId, firstRevision }) =>
      `\n  ${type} at ${stream}, revision ${revision}: revision ${firstRevision} has the same cause ${causationId}`,
  )
  const more = count > first.length ? [`\n  ... and ${count - first.length} more`] : []
  return `\n${countOf(count, 'fact')} booked twice, which an adjustment of those accounts takes back:${[...lines, ...more].join('')}`
}

/** How far the seals go: what lies behind the newest is chained, and yet could be cut off or replaced unseen. */
function formatSealed({ newestSeal, unsealed }: VerifyReport, now: number): string {
  if (newestSeal === null) return `There is no seal: ${countOf(unsealed, 'event')} ${UNSEALED}`
  const age = formatAge(Math.max(0, now - newestSeal.at))
  const newest = `The newest seal (${newestSeal.number}) is ${age} old and covers everything up to position ${newestSeal.upTo}`
  return unsealed === 0
    ? `${newest}: nothing is unsealed.`
    : `${newest}; ${countOf(unsealed, 'event')} after it ${UNSEALED}`
}

const UNSEALED =
  'not sealed yet: a cut there, or a change with new hashes, would not be seen. Seal now: npm run audit -- seal'

function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 120) return countOf(minutes, 'minute')
  return minutes < 48 * 60
    ? countOf(Math.floor(minutes / 60), 'hour')
    : countOf(Math.floor(minutes / 1440), 'day')
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function formatBreak(broken: LogBreak): string {
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
