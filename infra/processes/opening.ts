import { inOrder, type StopStep } from './in-order.ts'
import type { Runtime } from './runtime.ts'

/** The parts that a process has opened so far, and how they are closed: the last first. */
export interface Opening {
  /**
   * Notes how to close what was opened just now, in the order given. Fails when the process was told to stop; what came
   * while all is being closed is closed as well.
   */
  opened(...closing: readonly StopStep[]): void
  /** Closes everything, after what has to come before it. Fails with what did not close, when all was tried. */
  close(before?: readonly StopStep[]): Promise<void>
}

/**
 * Starts something that opens one thing after the other. When a later one fails, or the process is told to stop
 * meanwhile, those before it are closed again. A thing that would outlive the process (an embedded PostgreSQL) is noted
 * before it is there, since nothing else that is under way is waited for.
 */
export async function openInOrder<Running>(
  { logger, stopping }: Pick<Runtime, 'logger' | 'stopping'>,
  open: (opening: Opening) => Promise<Running>,
): Promise<Running> {
  const steps: StopStep[] = []
  let isClosing = false
  const close = (before: readonly StopStep[] = []): Promise<void> => {
    isClosing = true
    return inOrder(logger, [...before, ...steps])
  }
  const opening: Opening = {
    opened(...closing) {
      if (isClosing) void inOrder(logger, closing).catch(() => undefined)
      else steps.unshift(...closing)
      stopping?.throwIfAborted()
    },
    close,
  }
  try {
    return await Promise.race([open(opening), toldToStop(stopping)])
  } catch (error) {
    // A failure to close is in the log; people are told why the process did not start.
    await close().catch(() => undefined)
    throw error
  }
}

/** Fails when the process is told to stop. */
function toldToStop(stopping: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    stopping?.addEventListener('abort', () => reject(stopping.reason), { once: true })
  })
}
