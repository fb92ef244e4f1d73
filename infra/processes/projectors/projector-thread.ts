// oxlint-disable unicorn/require-post-message-target-origin -- a worker's port has no origin; the rule means windows
import { parentPort, workerData } from 'node:worker_threads'
import type { RunnerLogger } from '@tollgate/projections/runner/logger.ts'
import type { RunnerStatus } from '@tollgate/projections/runner/runner.ts'
import { stdSerializers } from 'pino'
import {
  composeProjector,
  type ProjectorConfig,
  type ComposedProjector,
} from './compose-projector.ts'
import { surviveRejections } from '../unhandled-rejections.ts'
import { systemClock } from '../runtime.ts'

/** The messages of the thread to the process that started it. */
export type ProjectorNews =
  /** Every table is there to be read; the projectors follow. */
  | { readonly type: 'started' }
  | { readonly type: 'status'; readonly status: RunnerStatus }
  | {
      readonly type: 'log'
      readonly level: keyof RunnerLogger
      readonly fields: object
      readonly message: string
    }

/** The orders to the thread: to end, or that a reader waits for what was written last. */
export type ProjectorOrder = 'stop' | 'hurry'

/** Positions move hundreds of times a second under load; a reader that waits for one notices no such delay. */
const TELL_EVERY_MS = 5

/** Runs the projectors off the event loop that serves requests. They use the clock only for delays: it is the system's. */
async function main(port: NonNullable<typeof parentPort>): Promise<void> {
  const tell = (news: ProjectorNews): void => port.postMessage(news)
  let telling: NodeJS.Timeout | null = null
  const tellStatus = (): void => {
    telling = null
    if (projector !== null) tell({ type: 'status', status: projector.runner.status() })
  }
  const logger = toldLogger(tell)
  surviveRejections(logger)
  let projector: ComposedProjector | null = null
  const composed = await composeProjector(workerData as ProjectorConfig, {
    clock: systemClock,
    logger,
    onChange: () => (telling ??= setTimeout(tellStatus, TELL_EVERY_MS)),
  })
  projector = composed
  tellStatus()
  tell({ type: 'started' })
  port.on('message', (order: ProjectorOrder) => {
    if (order === 'hurry') {
      composed.runner.hurry()
      return
    }
    void composed.stop().finally(() => {
      if (telling !== null) clearTimeout(telling)
      port.close()
    })
  })
}

/** Entries go to the process's own logger; errors as their texts, since not every error can cross to another thread. */
function toldLogger(tell: (news: ProjectorNews) => void): RunnerLogger {
  const at = (level: keyof RunnerLogger) => (fields: object, message: string) => {
    const plain = JSON.stringify(fields, (_key, value: unknown) =>
      value instanceof Error ? stdSerializers.err(value) : value,
    )
    tell({ type: 'log', level, fields: JSON.parse(plain) as object, message })
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

if (parentPort !== null) await main(parentPort)
