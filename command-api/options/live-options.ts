import { FREQUENT_EVENT_TYPES } from '@tollgate/domain/account/event-types.ts'
import { type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type EventStore, ForeignEvent, StreamCut } from '@tollgate/domain/ports/event-store.ts'
import {
  isSettingsEvent,
  type OptionChanged,
  type SettingsEvent,
} from '@tollgate/domain/settings/events.ts'
import { evolveSettings } from '@tollgate/domain/settings/decider.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import {
  NO_SETTINGS,
  type PriceRevisions,
  type SettingsState,
} from '@tollgate/domain/settings/state.ts'
import type { OptionSecrets } from '../secrets/option-secrets.ts'

/** The options in force, kept in memory and fresh by following the stream `settings`. */
export interface LiveOptions {
  /** Without secret texts: those read as ''. */
  current(): OptionsView
  /** Revisions of prices: which is in force by the log, and which are planned. */
  prices(): PriceRevisions
  /** A secret option's text; '' when it was never set. */
  secret(key: string): string
  /** Resolves once the options are at least as new as a position, or after two seconds; says which. */
  waitFor(position: Position): Promise<boolean>
  /** False while the log or PostgreSQL is lost: changes made meanwhile are not known here. */
  isFollowing(): boolean
  /** Resolves when following ended, after the signal. */
  readonly ended: Promise<void>
}

/** How long a change may take to arrive; longer means that the store is unavailable. */
const WAIT_MS_MAX = 2_000
/** Pause before the log is followed again after a failure. */
const AGAIN_MS = 500

/** The newest change of each option, and up to where the log was read for them. */
export interface ProjectedSettings {
  readonly changes: readonly OptionChanged[]
  readonly position: Position
}

export interface LiveOptionsDeps {
  readonly store: Pick<EventStore, 'headPosition' | 'readStream' | 'subscribeAll'>
  readonly secrets: Pick<OptionSecrets, 'all' | 'get'>
  /** The settings as a read model has them, for a stream of which events are gone; null where there is none. */
  readonly projected: () => Promise<ProjectedSettings | null>
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: { warn(facts: object, message: string): void }
  readonly signal: AbortSignal
}

/**
 * Loads the options and follows their changes until the signal aborts; after a failure again from the last change that
 * is in force. Fails when they cannot be loaded.
 */
export async function followOptions(deps: LiveOptionsDeps): Promise<LiveOptions> {
  const { store, secrets, clock, log, signal } = deps
  let settings: SettingsState = NO_SETTINGS
  let seen: Position = await store.headPosition()
  let waiting: Waiter[] = []
  let last: Position = -1
  try {
    for await (const event of store.readStream(SETTINGS_STREAM)) {
      if (isSettingsEvent(event)) settings = evolveSettings(settings, event)
      last = event.position
    }
  } catch (error) {
    // Settings from before the failing event stay in force, and nothing is decided behind it.
    const projected = error instanceof StreamCut ? await deps.projected() : null
    if (projected !== null) {
      settings = projected.changes.reduce(evolveSettings, NO_SETTINGS)
      last = projected.position
    } else if (!(error instanceof ForeignEvent)) throw error
    log.warn(
      { err: error },
      'options: the last good settings stay in force, and cannot be changed; /readyz says what to do',
    )
  }
  const texts = new Map(await secrets.all())

  let isFollowing = true

  const take = async (event: SettingsEvent): Promise<void> => {
    if (event.type === 'OptionChanged' && event.data.value === null) {
      texts.set(event.data.key, (await secrets.get(event.data.key)) ?? '')
    }
    settings = evolveSettings(settings, event)
  }
  const followFromLast = async (): Promise<void> => {
    // None stands in this stream: the server leaves them out for its other consumers in this thread, too.
    const filter = { streamPrefixes: [SETTINGS_STREAM], exceptTypes: FREQUENT_EVENT_TYPES }
    for await (const batch of store.subscribeAll(last, filter, signal)) {
      for (const event of batch.events) {
        if (isSettingsEvent(event)) await take(event)
        last = event.position
      }
      last = Math.max(last, batch.position)
      isFollowing = true
      seen = Math.max(seen, last)
      waiting = waiting.filter((waiter) => !waiter.isAnsweredBy(seen))
    }
  }
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await followFromLast()
      } catch (error) {
        if (signal.aborted) return
        isFollowing = false
        log.warn({ err: error }, 'changes of options could not be followed; trying again')
      }
      await clock.sleep(AGAIN_MS, signal)
    }
  }
  const ended = follow()

  return {
    current: () => settings.options,
    prices: () => settings.prices,
    secret: (key) => texts.get(key) ?? '',
    isFollowing: () => isFollowing,
    waitFor(position) {
      if (seen >= position) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting = waiting.filter((one) => one !== waiter)
          resolve(false)
        }, WAIT_MS_MAX)
        const waiter: Waiter = {
          isAnsweredBy(reached) {
            if (reached < position) return false
            clearTimeout(timer)
            resolve(true)
            return true
          },
        }
        waiting.push(waiter)
      })
    },
    ended,
  }
}

interface Waiter {
  isAnsweredBy(reached: Position): boolean
}
