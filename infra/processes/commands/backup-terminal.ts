import { SingleBar } from 'cli-progress'

/** A bar that appears with the first figure and may be stopped more than once. */
export interface ProgressBar {
  show(done: number, of: number): void
  stop(): void
}

export function progressBar(what: string): ProgressBar {
  const bar = new SingleBar({
    format: `${what.padEnd(12)} {bar} {percentage}% | {value}/{total}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stdout,
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  })
  let isShown = false
  return {
    show(done, of) {
      if (!isShown) bar.start(of, 0)
      isShown = true
      bar.setTotal(of)
      bar.update(done)
    },
    stop() {
      if (isShown) bar.stop()
      isShown = false
    },
  }
}

/** The typed command cannot be done; the message says what can. */
export class WrongUsage extends Error {
  readonly code = 'WRONG_USAGE'
  readonly retryable = false
  constructor(usage: string) {
    super(usage)
    this.name = 'WrongUsage'
  }
}

/** Problems come as an error at the end; other lines would stand in the way of the bar. */
export const silentLog = { info() {}, warn() {}, error() {}, debug() {} }
