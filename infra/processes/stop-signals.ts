import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { surviveRejections } from './unhandled-rejections.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/**
 * npm passes signals on to what it runs, which a terminal (Ctrl-C) or systemd has told already: what follows at once
 * is the same wish, not impatience.
 */
const ECHO_MS = 1_000

/**
 * Calls `stop` once, when the process gets a signal or meets an unexpected error, and ends the process when that is
 * done, or not done within `delayMs`. A second signal ends it at once. A rejection that nobody handled is logged and
 * counted, and ends nothing: it belongs to one piece of work. The answer takes all of this back.
 */
export function stopOnSignal(
  delayMs: number,
  logger: Logger,
  stop: () => Promise<void>,
): () => void {
  let isStopping = false
  const skip = [...STOP_SIGNALS, 'unhandledRejection' as const]
  const grace = closeWithGrace({ delay: delayMs, logger, skip }, ({ err }) => {
    isStopping = true
    if (err !== undefined) logger.fatal({ err }, 'stopping after an unexpected error')
    return stop()
  })
  const endAtRejections = surviveRejections(logger)
  let toldAtMs: number | null = null
  const onSignal = (signal: NodeJS.Signals): void => {
    if (toldAtMs === null) {
      toldAtMs = performance.now()
      // After an error the end is under way already, and that it was one is still to be told.
      if (!isStopping) grace.close()
    } else if (performance.now() - toldAtMs > ECHO_MS) {
      logger.error(`second ${signal}, exiting`)
      process.exit(1)
    }
  }
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  return () => {
    grace.uninstall()
    endAtRejections()
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
  }
}
