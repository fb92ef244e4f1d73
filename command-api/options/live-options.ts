import { type DomainEvent, type Position, SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { evolveSettings } from '@tollgate/domain/settings/decider.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { NO_SETTINGS, type SettingsState } from '@tollgate/domain/settings/state.ts'
import type { OptionSecrets } from '../secrets/option-secrets.ts'

/** The options in force, kept in memory and fresh by following the stream `settings`. */
export interface LiveOptions {
  /** Without secret texts: those read as ''. */
  current(): OptionsView
  /** A secret option's text; '' when it was never set. */
  secret(key: string): string
  /** Resolves once the options are at least as new as a position, or after two seconds; says which. */
  waitFor(position: Position): Promise<boolean>
  /** Settles when following ended: after the signal, or with the error that ended it. */
  readonly ended: Promise<void>
}

/** How long a change may take to arrive; longer means that the store is away. */
const WAIT_MS_MAX = 2_000

/** Loads the options and follows their changes until the signal aborts. */
export async function followOptions(deps: {
  readonly store: EventStore
  readonly secrets: OptionSecrets
  readonly signal: AbortSignal
}): Promise<LiveOptions> {
  const { store, secrets, signal } = deps
  let settings: SettingsState = NO_SETTINGS
  let seen: Position = await store.headPosition()
  let waiting: Waiter[] = []
  let last: Position = -1
  for await (const event of store.readStream(SETTINGS_STREAM)) {
    if (isSettingsEvent(event)) settings = evolveSettings(settings, event)
    last = event.position
  }
  const texts = new Map(await secrets.all())

  const take = async (event: SettingsEvent): Promise<void> => {
    settings = evolveSettings(settings, event)
    if (event.type === 'OptionChanged' && event.data.value === null) {
      texts.set(event.data.key, (await secrets.get(event.data.key)) ?? '')
    }
  }
  const follow = async (): Promise<void> => {
    const filter = { streamPrefixes: [SETTINGS_STREAM] }
    for await (const batch of store.subscribeAll(last, filter, signal)) {
      for (const event of batch.events) if (isSettingsEvent(event)) await take(event)
      seen = Math.max(seen, batch.position, batch.events.at(-1)?.position ?? seen)
      waiting = waiting.filter((waiter) => !waiter.isAnsweredBy(seen))
    }
  }
  const ended = follow()
  // Whoever composes the process awaits `ended`; until then a failure must not count as unhandled.
  ended.catch(() => undefined)

  return {
    current: () => settings.options,
    secret: (key) => texts.get(key) ?? '',
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

const isSettingsEvent = (event: DomainEvent): event is SettingsEvent =>
  event.type === 'OptionChanged' || event.type === 'LogsCleared'

interface Waiter {
  isAnsweredBy(reached: Position): boolean
}
