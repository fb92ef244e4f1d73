/** The turns of the serving thread while something ran. */
export interface Turns<Result> {
  readonly result: Result
  /** The most processor time that this thread spent in one turn of its event loop, milliseconds. */
  readonly longestTurnMs: number
}

/**
 * Runs something and measures how long it held this thread. Processor time, not time of day: a busy machine does not
 * make a turn longer.
 */
export async function withLongestTurn<Result>(run: () => Promise<Result>): Promise<Turns<Result>> {
  let longestTurnMs = 0
  let before = cpuMs()
  let isOver = false
  const turn = (): void => {
    const now = cpuMs()
    longestTurnMs = Math.max(longestTurnMs, now - before)
    before = now
    if (!isOver) setImmediate(turn)
  }
  turn()
  try {
    const result = await run()
    return { result, longestTurnMs }
  } finally {
    isOver = true
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
